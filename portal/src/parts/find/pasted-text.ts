import { useSyncExternalStore } from 'react';

/**
 * The text to search for that may be token data. It is only kept in memory, because browsers remember addresses, and
 * write the state of their history to disk.
 */
let pasted: string | undefined;
const listeners = new Set<() => void>();

export function setPasted(text: string | undefined): void {
  pasted = text;
  for (const listener of listeners) listener();
}

export function usePasted(): string | undefined {
  return useSyncExternalStore(listen, () => pasted);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
