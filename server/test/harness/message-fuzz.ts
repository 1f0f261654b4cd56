/**
 * A script that sends fuzzed messages to frames. It changes parts of real messages, and adds values that only a
 * structured clone can carry. The envelopes are correct, wrong or missing. The same seed produces the same messages.
 */
export const messageFuzz = `
  globalThis.fuzz = ({ seed, count, nonce, key, targets, origin }) => {
    let state = seed >>> 0;
    const random = (max) => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), state | 1);
      t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) % max;
    };
    const pick = (list) => list[random(list.length)];
    const cyclic = {}; cyclic.self = cyclic;
    const odd = [
      () => null, () => undefined, () => NaN, () => -0, () => 2 ** 60, () => 10n ** 20n, () => true, () => '', () => '__proto__',
      () => 'constructor', () => 'toString', () => '{{ data }}', () => 'x'.repeat(20000), () => '\\ud800', () => new Date(NaN),
      () => /(a+)+$/, () => new Map([['$element', '1']]), () => new Set(['1']), () => new Uint8Array(9), () => new Blob(['x']),
      () => new String('setup'), () => new Error('x'), () => cyclic, () => [, , 1], () => ({ get kind() { return 'ask'; } }),
      () => JSON.parse('{"__proto__":{"kind":"ask","empty":false}}'), () => ({ $element: '1' }), () => ({ $element: {} }),
      () => Array(50).fill({ a: [] }), () => ({ length: 1e9 }), () => ({ toString: 1, valueOf: 2 }),
    ];
    const kinds = ['setup', 'update', 'validate', 'focus', 'blur', 'hello', 'ask', 'value', 'watch', 'changed', 'fill', 'joined', 'join',
      'shown', 'call', 'link', 'forget', 'ready', 'result', '__proto__', 'constructor', 'toString', '__defineGetter__', ''];
    const pattern = () => ({ source: pick(['^\\\\d{9}5', '^4', '.', '(a|b)*', '[', '\\\\d{16}$']), flags: pick(['', 'g', 'i', 'uv']) });
    const change = () => pick([
      { validation: pattern() }, { mask: [pattern(), '-', pattern()] }, { transform: { pattern: pattern(), replacement: pick(['', '-', '1']) } },
      { maxLength: random(20) }, { skipLuhnValidation: true, validateOnChange: true }, { cardBrand: pick(['visa', '__proto__']) },
      { cardTypes: [{ type: 'constructor', niceType: 'x', patterns: [random(1e8)], lengths: [12 + random(8)], gaps: [4], code: { name: 'x', size: 3 } }] },
      { style: { base: { width: 'max-content', background: 'url(//x)', color: 'red', ':focus': { font: '9px x' } }, complete: { height: '99px' } } },
      { title: 'x', ariaLabel: 'x', placeholder: 'x', autoComplete: 'cc-csc', inputMode: 'none', password: true, iconPosition: 'none' },
    ]);
    const services = ['tokens.create', 'tokens.update', 'tokens.retrieve', 'tokenize', 'proxy.get', 'proxy.post', 'constructor'];
    const payload = () => pick([
      { type: 'token', data: { $element: '1' }, mask: pick(['{{ data }}', '{{ data | slice: 8, 4 }}', { a: '{{ data }}' }]) },
      { type: 'token', data: 'x', metadata: { a: { $element: '1' } } }, { id: '{{ data }}', type: { $element: '2' }, data: { $element: '1' } },
      [{ $element: '1' }], { type: 'card_number', data: { $element: '1' }, containers: [{ $element: '1' }] }, { a: { $element: '999' } },
      { type: 'token', data: { $element: '1' }, fingerprint_expression: '{{ data | slice: 8, 1 }}', deduplicate_token: true },
    ]);
    const real = () => pick([
      () => ({ kind: 'update', id: random(1e6) + 1e6, change: change() }),
      () => ({ kind: 'setup', setup: { type: pick(['text', 'cardNumber', 'copyButton']), targetId: 'x', ...change() }, key }),
      () => ({ kind: pick(kinds), element: '77', question: random(99), value: { kind: 'text', text: 'x' }, digits: '4'.repeat(13) }),
      () => ({ kind: 'link', from: '1', to: pick(['3', '99', '1']) }),
      () => ({ kind: 'fill', element: '1', value: { correlationId: 'x', elementId: 'x', path: '' } }),
      () => random(8) > 0 ? { kind: 'call', id: random(1e6) + 1e6, call: { service: 'constructor', payload: payload() } }
        : { kind: 'call', id: random(1e6) + 1e6, call: { service: pick(services), id: 'x', payload: payload(), apiKey: pick([undefined, 'x', key]) } },
    ])();
    const mutate = (value, depth = 0) => {
      if (typeof value !== 'object' || value === null || depth > 4 || random(6) === 0) return pick(odd)();
      const name = pick(Object.keys(value));
      const copy = Array.isArray(value) ? [...value] : { ...value };
      if (random(4) === 0) delete copy[name];
      else if (random(4) === 0) copy[pick(['kind', 'id', 'change', 'setup', 'call', 'strongroom', 'sibling', 'element'])] = pick(odd)();
      else copy[name] = mutate(value[name], depth + 1);
      return copy;
    };
    const envelopes = [
      (m) => ({ ...m, strongroom: nonce }), (m) => ({ ...m, strongroom: nonce }), (m) => ({ ...m, sibling: nonce, key: key.split('_')[3].slice(0, 22) }),
      (m) => ({ ...m, strongroom: nonce, sibling: nonce }), (m) => ({ ...m, strongroom: nonce.toUpperCase() }), (m) => ({ ...m, strongroom: '0'.repeat(32) }),
      (m) => [{ ...m, strongroom: nonce }], (m) => m, (m) => ({ data: { ...m, strongroom: nonce } }), (m) => Object.keys(m).join() + nonce,
    ];
    let sent = 0;
    for (let index = 0; index < count; index += 1) {
      const message = random(10) === 0 ? pick(odd)() : random(3) === 0 ? real() : mutate(real());
      const whole = typeof message === 'object' && message !== null && !Array.isArray(message) ? pick(envelopes)(message) : message;
      const ports = random(20) === 0 ? [new MessageChannel().port2] : [];
      try { pick(targets).postMessage(whole, pick([origin, origin, '*']), ports); sent += 1; } catch (error) { if (error.name !== 'DataCloneError') throw error; }
    }
    return sent;
  };
`;
