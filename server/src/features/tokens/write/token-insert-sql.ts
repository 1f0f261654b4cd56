import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import { insertSharedAuditRecords, type SharedAuditRow } from '../../../platform/audit/record/audit-statement.ts';
import type { Statement, Transaction } from '../../../platform/database/database.ts';
import { keyVersionOf } from '../../../platform/keyring/sealing/sealed-record.ts';
import { keysAreOpen } from '../../../platform/keyring/keys/sealed-rows.ts';
import { type ContainerSetLimits, hasRoomForSets, toRoomValues, type WantedSet } from '../model/container-set-sql.ts';
import { cvcExpiry, jsonRowColumns, toJsonRow } from '../model/token-row-sql.ts';
import type { TokenInsert } from './token-insert.ts';
import { toShelfKey } from '../model/token-shelf.ts';

/** A sealed token as the insert statement takes it: JSON text, so that another thread can prepare it. */
export interface InsertRow {
  readonly id: TokenId;
  readonly token: string;
  /** The audit record as JSON text, without the fields that are taken from the token. */
  readonly audit: string;
  /** The version of the key that the data is sealed with. */
  readonly keyVersion: number;
  readonly set: WantedSet;
}

/** The tenant that the tokens belong to, and the counter slot to add to. */
export interface InsertTarget {
  readonly tenantId: TenantId;
  readonly slot: number;
  readonly setLimits: ContainerSetLimits;
}

interface WrittenRow {
  readonly id: TokenId;
  readonly created_at: Date;
}

/** Writes tokens, their search terms, counters and audit records in one statement: all or nothing. */
const insertText = `with rows as materialized (
    select * from json_to_recordset($2::json) as row(${jsonRowColumns}, record integer)
    where ${keysAreOpen(5)} and ${hasRoomForSets(6)}
  ), written as (
    insert into tokens (tenant_id, id, type, version, data, mask, containers, shelf, metadata, search_indexes, fingerprint,
      fingerprint_expression, views, terms, expires_at, expires_at_offset_minutes, created_by)
    select $1::uuid, id, type, version, data, mask, containers, shelf, metadata, search_indexes, fingerprint,
      fingerprint_expression, views, terms, expires_at, expires_at_offset_minutes, created_by from rows
    on conflict (tenant_id, id) do nothing
    returning id, type, containers, terms, created_at
  ), listed as (
    insert into token_terms (tenant_id, term, created_at, token_id)
    select $1::uuid, unnest(terms), created_at, id from written
  ), coded as (
    insert into token_cvcs (tenant_id, token_id, token_version, sealed, expires_at)
    select $1::uuid, id, rows.version, rows.cvc, ${cvcExpiry} from rows join written using (id) where rows.cvc is not null
  ), counted as (
    insert into token_counts (tenant_id, type, containers, slot, tokens, last_created_at)
    select $1::uuid, type, containers, $4, count(*), max(created_at) from written group by type, containers order by type, containers
    on conflict (tenant_id, type, containers, slot)
    do update set tokens = token_counts.tokens + excluded.tokens, last_created_at = excluded.last_created_at
  ), recorded as (
    ${insertSharedAuditRecords(3, 'select written.id, written.containers, rows.record from written join rows using (id)')}
  )
  select id, created_at from written`;

export function toInsertRow({ token, audit, isPublic }: Pick<TokenInsert, 'token' | 'audit' | 'isPublic'>): InsertRow {
  const { entity_id: _id, containers: _containers, ...shared } = audit;
  return {
    id: token.id,
    token: JSON.stringify(toJsonRow(token)),
    audit: JSON.stringify(shared satisfies SharedAuditRow),
    keyVersion: keyVersionOf(token.data),
    set: { shelf: toShelfKey(token), isPublic },
  };
}

/** Inserts the tokens whose ids are free. Returns their creation times, undefined for each token whose id was taken. */
export function insertFreeIn(
  tx: Transaction,
  target: InsertTarget,
  rows: readonly InsertRow[],
): Promise<(Date | undefined)[]> {
  return insertFree((statement) => tx.query(statement), target, rows);
}

/** Does the same as `insertFreeIn` with any function that runs the statement. */
export async function insertFree(
  run: (statement: Statement) => Promise<readonly WrittenRow[]>,
  target: InsertTarget,
  rows: readonly InsertRow[],
): Promise<(Date | undefined)[]> {
  const winners = firstOfEachId(rows);
  const written = await run(toStatement(target, [...winners.values()]));
  const createdAt = new Map(written.map((row) => [row.id, row.created_at]));
  return rows.map((row) => (winners.get(row.id) === row ? createdAt.get(row.id) : undefined));
}

/** Keeps the first of several rows with the same id, which would also win if each row had its own statement. */
function firstOfEachId(rows: readonly InsertRow[]): Map<TokenId, InsertRow> {
  const winners = new Map<TokenId, InsertRow>();
  for (const row of rows) if (!winners.has(row.id)) winners.set(row.id, row);
  return winners;
}

function toStatement({ tenantId, slot, setLimits }: InsertTarget, rows: readonly InsertRow[]): Statement {
  const records = new Map([...new Set(rows.map(({ audit }) => audit))].map((audit, index) => [audit, index + 1]));
  return {
    name: 'token-insert',
    text: insertText,
    values: [
      tenantId,
      `[${rows.map(({ token, audit }) => `${token.slice(0, -1)},"record":${records.get(audit)}}`).join(',')}]`,
      `[${[...records.keys()].join(',')}]`,
      slot,
      [...new Set(rows.map(({ keyVersion }) => keyVersion))],
      ...toRoomValues(
        rows.map(({ set }) => set),
        setLimits,
      ),
    ],
  };
}
