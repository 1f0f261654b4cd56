/** Thrown if a request got no response. Whether the vault received it is unknown. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The vault could not be reached. Check the network connection, and try again.', { cause });
    this.name = 'Unreachable';
  }
}

let isReachable = true;
const listeners = new Set<() => void>();

/** Runs a request, and remembers whether the vault responded to it. */
export async function reach<Result>(request: Promise<Result>): Promise<Result> {
  try {
    const result = await request;
    tell(true);
    return result;
  } catch (error) {
    // A request that the page itself cancelled says nothing about the network.
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    tell(false);
    throw new Unreachable(error);
  }
}

export function wasReached(): boolean {
  return isReachable;
}

export function onReach(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(reached: boolean): void {
  if (reached === isReachable) return;
  isReachable = reached;
  for (const listener of listeners) listener();
}
