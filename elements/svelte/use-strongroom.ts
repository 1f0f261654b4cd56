import { getContext, onMount, setContext } from 'svelte';
import { type Readable, readable, writable } from 'svelte/store';
import { strongroom, type StrongroomElements, type StrongroomOptions } from 'strongroom-elements';
import { toError } from '../wrappers/to-error.ts';

export interface StrongroomState {
  /** Undefined until the fields are ready. */
  readonly strongroom?: StrongroomElements;
  readonly error?: Error;
}

const contextKey = Symbol('strongroom');

/** Opens the instance of a key, and gives it to the elements inside this component. */
export function useStrongroom(key: string, options: StrongroomOptions): Readable<StrongroomState> {
  const state = writable<StrongroomState>({});
  // A server that renders the page has no fields.
  onMount(() => {
    strongroom(key, options).then(
      (instance) => state.set({ strongroom: instance }),
      (reason: unknown) => state.set({ error: toError(reason) }),
    );
  });
  setContext(contextKey, state);
  return state;
}

/** Returns what a component outside has opened. */
export function findStrongroom(): Readable<StrongroomState> {
  return getContext<Readable<StrongroomState> | undefined>(contextKey) ?? readable({});
}
