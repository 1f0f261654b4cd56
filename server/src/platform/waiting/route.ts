import { AsyncLocalStorage } from 'node:async_hooks';
import { DomainError } from '../../core/errors/domain-error.ts';

/** Tells what came first: each is greater than all before. */
export type Moment = number;

let latest: Moment = 0;

export function nextMoment(): Moment {
  latest += 1;
  return latest;
}

/** What the place was chosen by is older than the way there. Nothing was sent: it can be done again by what is known then. */
export class OutdatedRoute extends DomainError {
  constructor() {
    super('overloaded', 'The database of this part of the vault has been replaced or restarted. Try again shortly.');
    this.name = 'OutdatedRoute';
  }
}

/*
 * Carried by the asynchronous context, as deadlines are: whether a place is still the right one is known only when a connection is taken,
 * deep inside a request.
 */
const routes = new AsyncLocalStorage<Moment | undefined>();

/** Since when that was known by which the place of what is under way was chosen; undefined where nobody has chosen one. */
export function currentRoute(): Moment | undefined {
  return routes.getStore();
}

export function withRoute<T>(knownSince: Moment | undefined, work: () => T): T {
  return routes.getStore() === knownSince ? work() : routes.run(knownSince, work);
}

/** Of several that are done together. */
export function oldestRoute(all: readonly (Moment | undefined)[]): Moment | undefined {
  const chosen = all.filter((route) => route !== undefined);
  return chosen.length === 0 ? undefined : Math.min(...chosen);
}
