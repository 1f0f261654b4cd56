import type { Database } from '../../../platform/database/database.ts';
import type { SystemKeys } from '../../../platform/keyring/keys/system-keys.ts';
import { CeremonyStore } from './ceremony-store.ts';

/** The two-step flows whose state is kept between the steps. */
export type CeremonyKind = 'totp' | 'passkey' | 'new-passkey' | 'provider';

export interface Ceremony<Data> {
  readonly id: string;
  readonly data: Data;
}

const lifetimeSeconds = 10 * 60;

/**
 * Runs two-step sign-in flows. The state in between is sent encrypted to the browser and returned with the second step.
 * Starting a flow therefore stores nothing, so it can be repeated any number of times. Only completed flows are stored,
 * so that none is completed twice.
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

  /** Opens the state of a flow. Returns undefined if it was not created here, is of another kind, or is too old. */
  open<Data>(kind: CeremonyKind, sealed: string | undefined): Ceremony<Data> | undefined {
    try {
      const text = this.#systemKeys.sealer().open(Buffer.from(sealed ?? '', 'base64url'), placeOf(kind));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The text was sealed here for this kind.
      const { id, data, until } = JSON.parse(text) as Ceremony<Data> & { until: number };
      return until > this.#now() ? { id, data } : undefined;
    } catch {
      // Any error means that the state was not created here for this purpose.
      return undefined;
    }
  }

  /** Completes a flow. Returns true for the first caller and false for all others. */
  async spend({ id }: Ceremony<unknown>): Promise<boolean> {
    return this.#database.forPortal((tx) => new CeremonyStore(tx).spend(id, lifetimeSeconds));
  }
}

function placeOf(kind: CeremonyKind) {
  return { owner: 'ceremony', field: kind };
}
