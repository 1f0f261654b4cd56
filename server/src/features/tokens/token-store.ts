import type { TenantId, TokenId } from '../../core/identity/ids.ts';
import type { AuditRow } from '../../platform/audit/audit-event.ts';
import { insertAuditRecords } from '../../platform/audit/audit-statement.ts';
import type { Database } from '../../platform/database/database.ts';
import { TenantBatcher } from '../../platform/database/tenant-batcher.ts';
import type { StoredToken } from './token.ts';

/** A token to insert, with the record of its creation. */
export interface TokenInsert {
  readonly token: Omit<StoredToken, 'tenantId' | 'version' | 'createdAt' | 'modifiedBy' | 'modifiedAt'>;
  readonly audit: AuditRow;
}

export type InsertOutcome = { readonly isInserted: true; readonly createdAt: Date } | { readonly isInserted: false };

/** Servers add to different rows of the counters, so that none waits for another. */
const countSlot = Math.floor(Math.random() * 64);

const columns = `tenant_id as "tenantId", id, type, version, data, containers, metadata, created_by as "createdBy",
  created_at as "createdAt", modified_by as "modifiedBy", modified_at as "modifiedAt"`;

/** Tokens, their counters and their records are written by one statement: none of them exists without the others. */
const insertText = `with written as (
    insert into tokens (tenant_id, id, type, data, containers, metadata, created_by)
    select $1::uuid, id, type, decode(data, 'base64'), containers, metadata, created_by
    from json_to_recordset($2::json) as row(id text, type text, data text, containers text[], metadata jsonb, created_by uuid)
    on conflict (tenant_id, id) do nothing
    returning id, type, containers, created_at
  ), counted as (
    insert into token_counts (tenant_id, type, containers, slot, tokens, last_created_at)
    select $1::uuid, type, containers, $4, count(*), max(created_at) from written group by type, containers order by type, containers
    on conflict (tenant_id, type, containers, slot)
    do update set tokens = token_counts.tokens + excluded.tokens, last_created_at = excluded.last_created_at
  ), recorded as (
    ${insertAuditRecords(3, 'join written on written.id = record.entity_id')}
  )
  select id, created_at as "createdAt" from written`;

const findText = `select ${columns} from tokens
  where tenant_id = $1 and id = any($2) and (expires_at is null or expires_at > now())`;

const deleteText = `with gone as (
    delete from tokens where tenant_id = $1 and id = $2 and version = $3 returning id, type, containers
  ), counted as (
    insert into token_counts (tenant_id, type, containers, slot, tokens)
    select $1::uuid, type, containers, $5, -1 from gone
    on conflict (tenant_id, type, containers, slot) do update set tokens = token_counts.tokens - 1
  ), recorded as (
    ${insertAuditRecords(4, 'join gone on gone.id = record.entity_id')}
  )
  select id from gone`;

export class TokenStore {
  readonly #database: Database;
  readonly #inserts: TenantBatcher<TokenInsert, InsertOutcome>;
  readonly #finds: TenantBatcher<TokenId, { readonly token: StoredToken | undefined }>;

  constructor(database: Database) {
    this.#database = database;
    this.#inserts = new TenantBatcher({
      itemsMax: 200,
      queueMax: 10_000,
      run: (tenantId, items) => this.#insertAll(tenantId, items),
    });
    this.#finds = new TenantBatcher({
      itemsMax: 200,
      queueMax: 10_000,
      run: (tenantId, ids) => this.#findAll(tenantId, ids),
    });
  }

  /** Committed together with whatever else the tenant inserts at this moment. */
  insert(tenantId: TenantId, item: TokenInsert): Promise<InsertOutcome> {
    return this.#inserts.add(tenantId, item);
  }

  async find(tenantId: TenantId, id: TokenId): Promise<StoredToken | undefined> {
    return (await this.#finds.add(tenantId, id)).token;
  }

  /** Deletes this version of the token and no other; false when it was changed or deleted meanwhile. */
  async delete(token: StoredToken, audit: AuditRow): Promise<boolean> {
    const rows = await this.#database.runForTenant(token.tenantId, {
      name: 'token-delete',
      text: deleteText,
      values: [token.tenantId, token.id, token.version, JSON.stringify([audit]), countSlot],
    });
    return rows.length > 0;
  }

  async #insertAll(tenantId: TenantId, items: readonly TokenInsert[]): Promise<InsertOutcome[]> {
    // Of two equal ids in one batch the first wins, as it would have with a statement each.
    const winners = new Map<TokenId, TokenInsert>();
    for (const item of items) if (!winners.has(item.token.id)) winners.set(item.token.id, item);
    const wanted = [...winners.values()];
    const rows = await this.#database.runForTenant<{ id: TokenId; createdAt: Date }>(tenantId, {
      name: 'token-insert',
      text: insertText,
      values: [
        tenantId,
        JSON.stringify(wanted.map(toRow)),
        JSON.stringify(wanted.map(({ audit }) => audit)),
        countSlot,
      ],
    });
    const createdAt = new Map(rows.map((row) => [row.id, row.createdAt]));
    return items.map((item) => {
      const at = winners.get(item.token.id) === item ? createdAt.get(item.token.id) : undefined;
      return at === undefined ? { isInserted: false } : { isInserted: true, createdAt: at };
    });
  }

  async #findAll(tenantId: TenantId, ids: readonly TokenId[]): Promise<{ token: StoredToken | undefined }[]> {
    const rows = await this.#database.runForTenant<StoredToken>(tenantId, {
      name: 'token-find',
      text: findText,
      values: [tenantId, [...new Set(ids)]],
    });
    const found = new Map(rows.map((token) => [token.id, token]));
    return ids.map((id) => ({ token: found.get(id) }));
  }
}

function toRow({ token }: TokenInsert) {
  const { id, type, data, containers, metadata, createdBy } = token;
  return { id, type, data: data.toString('base64'), containers, metadata, created_by: createdBy };
}
