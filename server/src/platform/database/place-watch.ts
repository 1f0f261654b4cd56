import { currentRoute, type Moment, nextMoment, OutdatedRoute } from '../waiting/route.ts';
import { markRolledBack } from './database-error.ts';

/**
 * Where the connections of a pool lead. After a failover or a restore they lead to a database that may hold again what it had given
 * away: then nothing that was known before says what belongs there.
 */
export class PlaceWatch {
  #place: string | undefined;
  #changedAt: Moment = 0;

  /** Told of every new connection before it is used. Undefined where there is only one place for everything. */
  note(place: string | undefined): void {
    if (place === this.#place) return;
    this.#place = place;
    this.#changedAt = nextMoment();
  }

  /** Told of what a database has said of itself after that moment. What is known from then on is of this place. */
  noteRead(place: string | undefined, after: Moment): void {
    if (place === this.#place || this.#changedAt >= after) return;
    this.#place = place;
    this.#changedAt = after - 1;
  }

  /** Throws if what is under way was sent here by what was known before the place changed. */
  requireCurrentRoute(): void {
    const knownSince = currentRoute();
    if (knownSince === undefined || knownSince > this.#changedAt) return;
    const error = new OutdatedRoute();
    markRolledBack(error);
    throw error;
  }
}
