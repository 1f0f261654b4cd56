import { Sensitive } from '../../core/identity/sensitive.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Database } from '../../platform/database/database.ts';
import { decryptData, type EncryptedData } from '../../platform/keyring/client-keys/encrypted-data.ts';
import { type ClientPrivateKey, parsePrivateKey } from '../../platform/keyring/client-keys/client-key-pair.ts';
import type { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { mapInTurns } from '../../platform/waiting/turns.ts';
import { ClientKeyStore } from './client-key-store.ts';
import { privateKeyBinding } from './sealed-client-keys-sql.ts';

/** Decrypts data that clients have encrypted with the keys of a tenant. */
export class EncryptedDataOpener {
  readonly #database: Database;
  readonly #keyring: Keyring;

  constructor(parts: { database: Database; keyring: Keyring }) {
    this.#database = parts.database;
    this.#keyring = parts.keyring;
  }

  /**
   * Decrypts all data in order, with one query for the keys. An item is undefined if its key does not exist or it was
   * not encrypted with that key.
   */
  async openAll(tenantId: TenantId, data: readonly EncryptedData[]): Promise<(Sensitive<string> | undefined)[]> {
    const ids = [...new Set(data.map(({ keyId }) => keyId))];
    const sealed = await this.#database.forTenant(tenantId, (tx) =>
      new ClientKeyStore(tx, tenantId).findPrivateKeys(ids),
    );
    const keys = new Map<string, ClientPrivateKey>();
    for (const [id, record] of sealed) {
      const keyring = await this.#keyring.forRecord(tenantId, record);
      keys.set(id, parsePrivateKey(new Sensitive(keyring.open(record, privateKeyBinding(id)))));
    }
    return mapInTurns(data, async (one) => {
      const key = keys.get(one.keyId);
      return key === undefined ? undefined : decryptData(one, key);
    });
  }
}
