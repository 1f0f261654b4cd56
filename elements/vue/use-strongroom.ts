import { inject, type InjectionKey, onMounted, provide, type ShallowRef, shallowRef } from 'vue';
import { strongroom, type StrongroomElements, type StrongroomOptions } from 'strongroom-elements';
import { toError } from '../wrappers/to-error.ts';

export interface StrongroomState {
  /** Undefined until the fields are ready. */
  readonly strongroom: ShallowRef<StrongroomElements | undefined>;
  readonly error: ShallowRef<Error | undefined>;
}

const injectionKey: InjectionKey<StrongroomState['strongroom']> = Symbol('strongroom');

/** Opens the instance of a key, and provides it to the elements inside this component. */
export function useStrongroom(key: string, options: StrongroomOptions): StrongroomState {
  const state: StrongroomState = { strongroom: shallowRef(), error: shallowRef() };
  provide(injectionKey, state.strongroom);
  // A server that renders the page has no fields.
  onMounted(() => {
    strongroom(key, options).then(
      (instance) => {
        state.strongroom.value = instance;
      },
      (reason: unknown) => {
        state.error.value = toError(reason);
      },
    );
  });
  return state;
}

/** Returns the instance that a component outside has provided. */
export function injectStrongroom(): StrongroomState['strongroom'] | undefined {
  return inject(injectionKey, undefined);
}
