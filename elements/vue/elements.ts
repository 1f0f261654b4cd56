import { computed, defineComponent, h, shallowRef, watch } from 'vue';
import type { ElementType, EventOf, EventType, VaultElement } from 'strongroom-elements';
import { eventTypes } from '../wrappers/event-types.ts';
import { findChanged } from '../wrappers/find-changed.ts';
import { toError } from '../wrappers/to-error.ts';
import { type ElementProps, propTypes, toOptions } from './element-props.ts';
import { injectStrongroom } from './use-strongroom.ts';

type ElementEmits = { [Type in EventType]: (event: EventOf<Type>) => void };

/** Creates a component that mounts an element while it is on the page, and applies changed options to it. */
function createComponent(type: ElementType) {
  return defineComponent<ElementProps, ElementEmits>(
    (props, { emit, expose }) => {
      const container = shallowRef<HTMLElement | null>(null);
      const element = shallowRef<VaultElement>();
      const error = shallowRef<Error>();
      const provided = injectStrongroom();
      const options = computed(() => toOptions(props));
      expose({ element });

      watch(
        [() => props.strongroom ?? provided?.value, container],
        ([strongroom, place], _, onCleanup) => {
          if (strongroom === undefined || place === null) return;
          const created = strongroom.createElement(type, options.value);
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The type of the event follows from its name.
          const emitAny = emit as (name: EventType, event: unknown) => void;
          for (const name of eventTypes) created.on(name, (event) => emitAny(name, event));
          let isWanted = true;
          created.mount(place).catch((reason: unknown) => {
            if (isWanted) error.value = toError(reason);
          });
          element.value = created;
          onCleanup(() => {
            isWanted = false;
            created.unmount();
            element.value = undefined;
          });
        },
        { immediate: true, flush: 'post' },
      );
      watch([element, () => props.valueRef], ([created, source]) => {
        if (created !== undefined && source !== undefined) created.setValueRef(source);
      });
      watch(options, (now, before) => {
        const changed = findChanged(before, now);
        if (Object.keys(changed).length === 0) return;
        element.value?.update(changed).catch((reason: unknown) => {
          error.value = toError(reason);
        });
      });
      return () => {
        if (error.value !== undefined) throw error.value;
        return h('div', { id: props.id, ref: container });
      };
    },
    // Vue types these only for properties that are known by name.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    { name: `Strongroom-${type}`, props: propTypes, emits: eventTypes, inheritAttrs: false } as object,
  );
}

export const CardElement = createComponent('card');
export const CardNumberElement = createComponent('cardNumber');
export const CardExpirationDateElement = createComponent('cardExpirationDate');
export const CardVerificationCodeElement = createComponent('cardVerificationCode');
export const TextElement = createComponent('text');
export const CopyButtonElement = createComponent('copyButton');
