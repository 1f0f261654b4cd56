// A page that tests use the Vue components in.
import { createApp, h, reactive, shallowRef } from 'vue';
import { CardNumberElement, useStrongroom } from 'strongroom-elements/vue';

const shown = reactive({
  isShown: true,
  placeholder: 'first',
  disabled: false,
  maxElapsedExpirationYear: undefined,
  style: { base: { color: 'rgb(1, 2, 3)' } },
});
const number = shallowRef();
const page = {
  events: [],
  change: (change) => void Object.assign(shown, change),
  recolor: (color) => {
    shown.style.base.color = color;
  },
  element: () => number.value?.element,
};
globalThis.page = page;

const app = createApp({
  setup() {
    const { key, elementsUrl } = globalThis.settings;
    const { strongroom, error } = useStrongroom(key, { elementsUrl });
    const note = (event) => page.events.push(event.type);
    return () => {
      page.strongroom = strongroom.value;
      page.openingError = error.value?.message;
      const { isShown, ...options } = shown;
      if (!isShown) return undefined;
      return [
        h(CardNumberElement, {
          id: 'number',
          ref: number,
          ...options,
          'aria-label': 'Number',
          onReady: note,
          onChange: note,
        }),
        h(CardNumberElement, { id: 'follower', readOnly: true, valueRef: number.value?.element }),
      ];
    };
  },
});
app.config.errorHandler = (error) => {
  page.error = error.message;
};
app.mount('#app');
