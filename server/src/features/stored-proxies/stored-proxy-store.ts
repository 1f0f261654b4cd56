import type { TenantId } from '../../core/identity/ids.ts';
import { toJsonText } from '../../core/json/json-text.ts';
import type { PageRequest } from '../../http/parameters/pagination.ts';
import type { SqlValue, Transaction } from '../../platform/database/database.ts';
import { keysAreOpen, keyVersionsOf } from '../../platform/keyring/keys/sealed-rows.ts';
import type { ProxySettings, StoredProxy } from './stored-proxy.ts';

const columns = `tenant_id as "tenantId", id, version, name, destination_url as "destinationUrl",
  require_auth as "requireAuth", application_id as "applicationId", request_transforms as "requestTransforms",
  response_transforms as "responseTransforms", timeout_seconds as "timeoutSeconds",
  disable_detokenization as "disableDetokenization", allowed_sources as "allowedSources",
  caller_check as "callerCheck", secrets_sealed as sealed, created_by as "createdBy",
  created_at as "createdAt", modified_by as "modifiedBy", modified_at as "modifiedAt"`;

/** A proxy as stored. Its secrets are still sealed. */
export type SealedProxy = StoredProxy & { readonly sealed: Buffer };

export interface ProxyFilter {
  readonly ids: readonly string[] | undefined;
  readonly name: string | undefined;
}

/** The stored proxies of one tenant. */
export class StoredProxyStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  async insert(
    settings: ProxySettings,
    of: { readonly id: string; readonly keyHash: Buffer; readonly sealed: Buffer; readonly actorId: string },
  ): Promise<SealedProxy> {
    const [row] = await this.#tx.query<SealedProxy>({
      text: `insert into stored_proxies (tenant_id, id, name, destination_url, require_auth, application_id,
          request_transforms, response_transforms, timeout_seconds, disable_detokenization, allowed_sources, caller_check,
          secrets_sealed, key_hash, created_by)
        select $1, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb, $9, $10, $11::text[], $12::jsonb, $13, $14, $15
        where ${keysAreOpen(16)}
        returning ${columns}`,
      values: [
        this.#tenantId,
        of.id,
        ...toValues(settings),
        of.sealed,
        of.keyHash,
        of.actorId,
        keyVersionsOf([of.sealed]),
      ],
    });
    if (row === undefined) throw new Error('The inserted row was not returned.');
    return row;
  }

  async count(): Promise<number> {
    const [row] = await this.#tx.query<{ total: number }>({
      text: 'select count(*)::integer as total from stored_proxies where tenant_id = $1',
      values: [this.#tenantId],
    });
    return row?.total ?? 0;
  }

  /** Lists proxies, newest first. */
  async list(
    { ids, name }: ProxyFilter,
    { page, size }: PageRequest,
  ): Promise<{ totalItems: number; items: SealedProxy[] }> {
    const chosen = 'tenant_id = $1 and ($2::uuid[] is null or id = any($2)) and ($3::text is null or name = $3)';
    const filter = [this.#tenantId, ids ?? null, name ?? null];
    const items = await this.#tx.query<SealedProxy>({
      text: `select ${columns} from stored_proxies where ${chosen} order by created_at desc, id desc limit $4 offset $5`,
      values: [...filter, size, (page - 1) * size],
    });
    const [count] = await this.#tx.query<{ total: number }>({
      text: `select count(*)::integer as total from stored_proxies where ${chosen}`,
      values: filter,
    });
    return { totalItems: count?.total ?? 0, items };
  }

  async find(id: string): Promise<SealedProxy | undefined> {
    const [row] = await this.#tx.query<SealedProxy>({
      text: `select ${columns} from stored_proxies where tenant_id = $1 and id = $2`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  /** Works like `find`, and locks the row until this transaction ends. */
  async lock(id: string): Promise<SealedProxy | undefined> {
    const [row] = await this.#tx.query<SealedProxy>({
      text: `select ${columns} from stored_proxies where tenant_id = $1 and id = $2 for update`,
      values: [this.#tenantId, id],
    });
    return row;
  }

  /** Replaces the settings and secrets of a version. Returns undefined if the proxy has changed since. */
  async update(
    { id, version }: Pick<StoredProxy, 'id' | 'version'>,
    settings: ProxySettings,
    of: { readonly sealed: Buffer; readonly actorId: string },
  ): Promise<SealedProxy | undefined> {
    const [row] = await this.#tx.query<SealedProxy>({
      text: `update stored_proxies set name = $3, destination_url = $4, require_auth = $5, application_id = $6,
          request_transforms = $7::jsonb, response_transforms = $8::jsonb, timeout_seconds = $9,
          disable_detokenization = $10, allowed_sources = $11::text[], caller_check = $12::jsonb, secrets_sealed = $13,
          modified_by = $14, modified_at = now(), version = version + 1
        where tenant_id = $1 and id = $2 and version = $15 and ${keysAreOpen(16)} returning ${columns}`,
      values: [this.#tenantId, id, ...toValues(settings), of.sealed, of.actorId, version, keyVersionsOf([of.sealed])],
    });
    return row;
  }

  async delete(id: string): Promise<void> {
    await this.#tx.query({
      text: 'delete from stored_proxies where tenant_id = $1 and id = $2',
      values: [this.#tenantId, id],
    });
  }
}

function toValues(settings: ProxySettings): SqlValue[] {
  return [
    settings.name,
    settings.destinationUrl,
    settings.requireAuth,
    settings.applicationId,
    toJsonText(settings.requestTransforms),
    toJsonText(settings.responseTransforms),
    settings.timeoutSeconds,
    settings.disableDetokenization,
    settings.allowedSources,
    settings.callerCheck === null ? null : toJsonText({ ...settings.callerCheck }),
  ];
}
