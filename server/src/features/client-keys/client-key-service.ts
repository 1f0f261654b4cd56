import { DomainError, invalidField } from '../../core/errors/domain-error.ts';
import { actorIdOf, type Caller } from '../../core/identity/caller.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { requireOpenTenant } from '../../platform/database/open-tenant.ts';
import { createClientKeyPair } from '../../platform/keyring/client-keys/client-key-pair.ts';
import type { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { type ClientKey, clientKeyEvent, noSuchClientKey } from './client-key.ts';
import { ClientKeyStore } from './client-key-store.ts';
import { privateKeyBinding } from './sealed-client-keys-sql.ts';

/** The maximum number of client keys of a tenant. One for each client and year is plenty. */
const clientKeysMax = 100;
const yearMs = 366 * 24 * 3_600_000;

interface ClientKeyServiceParts {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly audit: AuditLog;
}

/** Manages the key pairs with which clients encrypt data for a tenant. */
export class ClientKeyService {
  readonly #parts: ClientKeyServiceParts;

  constructor(parts: ClientKeyServiceParts) {
    this.#parts = parts;
  }

  async create(caller: Caller, { expiresAt }: { readonly expiresAt: Date | undefined }): Promise<ClientKey> {
    const end = requireWithinYear(expiresAt, new Date());
    const id = crypto.randomUUID();
    const { publicKeyPem, privateKey } = await createClientKeyPair();
    const keys = await this.#parts.keyring.forTenant(caller.tenantId);
    const sealedPrivateKey = keys.seal(privateKey.reveal(), privateKeyBinding(id));
    return this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      await requireOpenTenant(tx, caller.tenantId);
      const store = new ClientKeyStore(tx, caller.tenantId);
      if ((await store.count()) >= clientKeysMax) {
        throw new DomainError('validation-failed', `A tenant can have at most ${clientKeysMax} client keys.`);
      }
      const created = await store.insert({
        id,
        publicKey: publicKeyPem,
        sealedPrivateKey,
        createdBy: actorIdOf(caller),
        expiresAt: end,
      });
      await recordInTransaction(tx, caller.tenantId, caller, clientKeyEvent('create', id));
      return created;
    });
  }

  async list(caller: Caller): Promise<ClientKey[]> {
    const keys = await this.#parts.database.forTenant(caller.tenantId, (tx) =>
      new ClientKeyStore(tx, caller.tenantId).list(),
    );
    await this.#parts.audit.append(caller, clientKeyEvent('read'));
    return keys;
  }

  async get(caller: Caller, id: string): Promise<ClientKey> {
    const found = await this.#parts.database.forTenant(caller.tenantId, (tx) =>
      new ClientKeyStore(tx, caller.tenantId).find(id),
    );
    if (found === undefined) throw noSuchClientKey();
    await this.#parts.audit.append(caller, clientKeyEvent('read', id));
    return found;
  }

  async delete(caller: Caller, id: string): Promise<void> {
    await this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      if (!(await new ClientKeyStore(tx, caller.tenantId).delete(id))) throw noSuchClientKey();
      await recordInTransaction(tx, caller.tenantId, caller, clientKeyEvent('delete', id));
    });
  }
}

/** Returns the end of a new key. A key that is valid forever is never replaced, so a year is the limit. */
function requireWithinYear(wanted: Date | undefined, now: Date): Date {
  const latest = new Date(now.getTime() + yearMs);
  if (wanted === undefined) return latest;
  if (wanted <= now) throw invalidField('expires_at', 'must be in the future');
  if (wanted > latest) throw invalidField('expires_at', 'must be at most a year ahead');
  return wanted;
}
