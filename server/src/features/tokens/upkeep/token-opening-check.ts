import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Keyring } from '../../../platform/keyring/keys/keyring.ts';
import { SealedRecordError } from '../../../platform/keyring/sealing/sealed-record.ts';
import type { TenantKeyring } from '../../../platform/keyring/keys/tenant-keyring.ts';
import { tokenBinding } from '../model/token.ts';
import { type SealedData, TokenOpeningCheckStore } from './token-opening-check-store.ts';

const pageSize = 1_000;
const namedMax = 10;

export interface TokenOpeningReport {
  readonly tokens: number;
  readonly opened: number;
  readonly unopened: number;
  /** Ids of some of the tokens that cannot be opened. */
  readonly unopenedIds: readonly string[];
  readonly missingKeys: readonly { readonly keyVersion: number | null; readonly tokens: number }[];
}

/**
 * Opens the tokens of a tenant, either all of them or a sample for each key version. It keeps none of the plaintext.
 */
export class TokenOpeningCheck {
  readonly #store: TokenOpeningCheckStore;
  readonly #keyring: Keyring;
  readonly #tenantId: TenantId;
  #opened = 0;
  #unopened = 0;
  readonly #unopenedIds: string[] = [];

  constructor(parts: { database: Database; keyring: Keyring; tenantId: TenantId }) {
    this.#store = new TokenOpeningCheckStore(parts.database, parts.tenantId);
    this.#keyring = parts.keyring;
    this.#tenantId = parts.tenantId;
  }

  async run(options: {
    readonly sampleSize: number | undefined;
    readonly signal: AbortSignal;
    readonly onProgress: (opened: number) => void;
  }): Promise<TokenOpeningReport> {
    const keys = await this.#keyring.forTenant(this.#tenantId);
    const missingKeys = await this.#store.listMissingKeys();
    for await (const page of this.#pages(options.sampleSize)) {
      options.signal.throwIfAborted();
      for (const token of page) this.#open(keys, token);
      options.onProgress(this.#opened + this.#unopened);
    }
    return {
      tokens: await this.#store.count(),
      opened: this.#opened,
      unopened: this.#unopened,
      unopenedIds: this.#unopenedIds,
      missingKeys,
    };
  }

  async *#pages(sampleSize: number | undefined): AsyncGenerator<SealedData[]> {
    const drawn = sampleSize === undefined ? null : await this.#store.drawSample(sampleSize);
    for (let after = ''; ; ) {
      const page = await this.#store.list(after, pageSize, drawn);
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      after = last.id;
    }
  }

  #open(keys: TenantKeyring, { id, type, version, data }: SealedData): void {
    try {
      keys.open(data, tokenBinding({ id, type, version }, 'data'));
      this.#opened += 1;
    } catch (error) {
      if (!(error instanceof SealedRecordError)) throw error;
      this.#unopened += 1;
      if (this.#unopenedIds.length < namedMax) this.#unopenedIds.push(id);
    }
  }
}
