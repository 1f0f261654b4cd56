import type { Database } from '../../platform/database/database.ts';
import type { SystemKeys } from '../../platform/keyring/system-keys.ts';
import { CeremonyStore } from './ceremony-store.ts';

/** What stands between the beginning of a way in and its end. */
export type CeremonyKind = 'totp' | 'passkey' | 'new-passkey' | 'provider';

export interface Ceremony<Data> {
  readonly id: string;
  readonly data: Data;
}

const lifetimeSeconds = 10 * 60;

/**
 * Ways in that take two steps. What has to be remembered in between goes sealed to the browser and comes back with the
 * second step, so that beginning one costs us nothing, however often somebody does. Only what was completed is
 * remembered, so that nothing is completed twice.
 */
export class Ceremonies {
  readonly #database: Database;
  readonly #systemKeys: SystemKeys;
  readonly #now: () => number;

  constructor(parts: { database: Database; systemKeys: SystemKeys; now?: () => number }) {
    this.#database = parts.database;
    this.#systemKeys = parts.systemKeys;
    this.#now = parts.now ?? Date.now;
  }

  begin(kind: CeremonyKind, data: object): { readonly id: string; readonly sealed: string } {
    const id = crypto.randomUUID();
    const text = JSON.stringify({ id, data, until: this.#now() + lifetimeSeconds * 1_000 });
    return { id, sealed: this.#systemKeys.sealer().seal(text, placeOf(kind)).toString('base64url') };
  }

  /** Undefined for what is not ours, of another kind, or too old. */
  open<Data>(kind: CeremonyKind, sealed: string | undefined): Ceremony<Data> | undefined {
    try {
      const text = this.#systemKeys.sealer().open(Buffer.from(sealed ?? '', 'base64url'), placeOf(kind));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sealed here, in the place of its kind.
      const { id, data, until } = JSON.parse(text) as Ceremony<Data> & { until: number };
      return until > this.#now() ? { id, data } : undefined;
    } catch {
      // Whatever is wrong with it, it was not made here for this.
      return undefined;
    }
  }

  /** True for the first who completes it, false for all others. */
  async spend({ id }: Ceremony<unknown>): Promise<boolean> {
    return this.#database.forPortal((tx) => new CeremonyStore(tx).spend(id, lifetimeSeconds));
  }
}

function placeOf(kind: CeremonyKind) {
  return { owner: 'ceremony', field: kind };
}
