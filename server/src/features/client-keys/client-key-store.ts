import type { ApplicationKeyId, TenantId } from '../../core/identity/ids.ts';
import { recordAllInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { keysAreOpen } from '../../platform/keyring/keys/sealed-rows.ts';
import { keyVersionOf } from '../../platform/keyring/sealing/sealed-record.ts';
import { type ClientKey, clientKeyEvent } from './client-key.ts';

const columns = `id, tenant_id as "tenantId", public_key as "publicKey", created_by as "createdBy",
  created_at as "createdAt", expires_at as "expiresAt"`;
const isAlive = 'expires_at > now()';

export type NewClientKey = Pick<ClientKey, 'id' | 'publicKey' | 'createdBy' | 'expiresAt'> & {
  readonly sealedPrivateKey: Buffer;
};

/** The client keys of one tenant. Expired keys are invisible even before they are swept. */
export class ClientKeyStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async insert({ id, publicKey, createdBy, expiresAt, sealedPrivateKey }: NewClientKey): Promise<ClientKey> {
    const [row] = await this.#tx.query<ClientKey>({
      text: `insert into client_keys (tenant_id, id, public_key, private_key, created_by, expires_at)
        select $1, $2, $3, $4, $5, $6 where ${keysAreOpen(7)} returning ${columns}`,
      values: [this.#tenantId, id, publicKey, sealedPrivateKey, createdBy, expiresAt, [keyVersionOf(sealedPrivateKey)]],
    });
    if (row === undefined) throw new Error('The inserted row was not returned.');
    return row;
  }

  async find(id: string): Promise<ClientKey | undefined> {
    const [row] = await this.#tx.query<ClientKey>({
      text: `select ${columns} from client_keys where tenant_id = $1 and id = $2 and ${isAlive}`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  async count(): Promise<number> {
    const [row] = await this.#tx.query<{ total: number }>({
      text: 'select count(*)::integer as total from client_keys where tenant_id = $1',
      values: [this.#tenantId],
    });
    return row?.total ?? 0;
  }

  /** Lists all keys, newest first. Their number is limited, so there are no pages. */
  list(): Promise<ClientKey[]> {
    return this.#tx.query<ClientKey>({
      text: `select ${columns} from client_keys where tenant_id = $1 and ${isAlive} order by created_at desc, id desc`,
      values: [this.#tenantId],
    });
  }

  /** Returns the private halves of the keys that exist, still sealed. */
  async findPrivateKeys(ids: readonly string[]): Promise<Map<string, Buffer>> {
    const rows = await this.#tx.query<{ id: string; sealed: Buffer }>({
      text: `select id, private_key as sealed from client_keys
        where tenant_id = $1 and id = any($2::uuid[]) and ${isAlive}`,
      values: [this.#tenantId, ids],
    });
    return new Map(rows.map(({ id, sealed }) => [id, sealed]));
  }

  async delete(id: string): Promise<boolean> {
    const gone = await this.#tx.query({
      text: `delete from client_keys where tenant_id = $1 and id = $2 and ${isAlive} returning 1`,
      values: [this.#tenantId, id],
    });
    return gone.length > 0;
  }
}

/** Removes expired keys and records each removal. */
export async function deleteExpiredClientKeys(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const gone = await tx.query<{ id: string }>({
    text: `delete from client_keys where tenant_id = $1 and id = any (array(
        select id from client_keys where tenant_id = $1 and expires_at <= now() limit $2 for update skip locked))
      returning id`,
    values: [tenantId, limit],
  });
  if (gone.length === 0) return 0;
  const events = gone.map(({ id }) => clientKeyEvent('expire', id));
  await recordAllInTransaction(tx, tenantId, 'system', events);
  return gone.length;
}

/** Finds the public half of a key of the tenant that an API key belongs to. It works only inside `forSystem`. */
export async function findPublicKeyFor(
  tx: Transaction,
  keyId: ApplicationKeyId,
  clientKeyId: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ publicKey: string }>({
    text: `select c.public_key as "publicKey" from application_keys k join client_keys c on c.tenant_id = k.tenant_id
      where k.id = $1 and c.id = $2 and c.expires_at > now()`,
    values: [keyId, clientKeyId],
  });
  return row?.publicKey;
}
