import type { ApplicationKeyId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import { findPublicKeyFor } from './client-key-store.ts';

/** Finds the public halves of client keys for card fields, which know only the key of their page. */
export class PublicKeyFinder {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the public key in PEM. Undefined if the tenant of the page's key has no such client key. */
  findPublicKey(keyId: ApplicationKeyId, clientKeyId: string): Promise<string | undefined> {
    return this.#database.forSystem((tx) => findPublicKeyFor(tx, keyId, clientKeyId));
  }
}
