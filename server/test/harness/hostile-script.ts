/** The setup that attacks share, as a script that runs in the page: an instance and mounted fields. */
export const hostileScript = `
  globalThis.place = () => document.body.appendChild(document.createElement('div'));
  globalThis.mount = async (type, options = {}, target = place()) => {
    const element = bt.createElement(type, { targetId: type, ...options });
    element.states = [];
    element.on('change', (state) => element.states.push(state));
    await element.mount(target);
    return element;
  };
  globalThis.link = async (from, type, options) => {
    const element = await mount(type, options);
    const filled = new Promise((resolve) => element.on('change', resolve));
    element.setValueRef(from);
    await filled;
    return element;
  };
  globalThis.start = async () => {
    globalThis.bt = await strongroom(key);
    globalThis.number = await mount('cardNumber', {}, document.querySelector('#number'));
  };
`;
