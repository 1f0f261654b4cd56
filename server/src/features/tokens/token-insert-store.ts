import type { TenantId, TokenId } from '../../core/identity/ids.ts';
import type { AuditRow } from '../../platform/audit/audit-event.ts';
import { insertSharedAuditRecords, type SharedAuditRow } from '../../platform/audit/audit-statement.ts';
import type { Database, Statement, Transaction } from '../../platform/database/database.ts';
import { TenantBatcher } from '../../platform/database/tenant-batcher.ts';
import { keyVersionOf } from '../../platform/keyring/sealed-record.ts';
import { keysAreOpen } from '../../platform/keyring/sealed-rows.ts';
import { countSlot } from './count-slot.ts';
import type { StoredToken } from './token.ts';
import {
  isAlive,
  joinCvc,
  jsonRowColumns,
  toJsonRow,
  tokenColumns,
  type TokenRow,
  toStoredToken,
} from './token-row.ts';
import type { SealedToken } from './token-sealer.ts';

/** A token to insert, with the record of its creation. */
export interface TokenInsert {
  readonly token: SealedToken;
  readonly audit: AuditRow;
}

/** The same as the statement takes it: JSON text, so that another thread can have made it. */
export interface InsertRow {
  readonly id: TokenId;
  readonly token: string;
  /** But for what the token says itself. */
  readonly audit: string;
  /** Of the key that the data is sealed under. */
  readonly keyVersion: number;
}

/** When the token was created; undefined where its id was taken. */
export interface InsertOutcome {
  readonly createdAt: Date | undefined;
}

/** Some of the ids are taken, so nothing was written. */
export class TakenIds extends Error {
  /** Which of the tokens have them. */
  readonly indexes: ReadonlySet<number>;

  constructor(indexes: Iterable<number>) {
    super('Some of the ids are taken.');
    this.name = 'TakenIds';
    this.indexes = new Set(indexes);
  }
}

/** Tokens, what finds them, their counters and their records are written by one statement: all of it or nothing. */
const insertText = `with rows as materialized (
    select * from json_to_recordset($2::json) as row(${jsonRowColumns}, record integer) where ${keysAreOpen(5)}
  ), written as (
    insert into tokens (tenant_id, id, type, version, data, mask, containers, shelf, metadata, search_indexes, fingerprint,
      fingerprint_expression, terms, expires_at, expires_at_offset_minutes, created_by)
    select $1::uuid, id, type, version, data, mask, containers, shelf, metadata, search_indexes, fingerprint,
      fingerprint_expression, terms, expires_at, expires_at_offset_minutes, created_by from rows
    on conflict (tenant_id, id) do nothing
    returning id, type, containers, terms, created_at
  ), listed as (
    insert into token_terms (tenant_id, term, created_at, token_id)
    select $1::uuid, unnest(terms), created_at, id from written
  ), coded as (
    insert into token_cvcs (tenant_id, token_id, token_version, sealed, expires_at)
    select $1::uuid, id, rows.version, rows.cvc, now() + interval '1 hour' from rows join written using (id) where rows.cvc is not null
  ), counted as (
    insert into token_counts (tenant_id, type, containers, slot, tokens, last_created_at)
    select $1::uuid, type, containers, $4, count(*), max(created_at) from written group by type, containers order by type, containers
    on conflict (tenant_id, type, containers, slot)
    do update set tokens = token_counts.tokens + excluded.tokens, last_created_at = excluded.last_created_at
  ), recorded as (
    ${insertSharedAuditRecords(3, 'select written.id, written.containers, rows.record from written join rows using (id)')}
  )
  select id, created_at from written`;

export class TokenInsertStore {
  readonly #database: Database;
  readonly #batcher: TenantBatcher<TokenInsert, InsertOutcome>;
  readonly #groups: TenantBatcher<readonly TokenInsert[], Date>;

  constructor(database: Database) {
    this.#database = database;
    this.#batcher = new TenantBatcher({
      itemsMax: 200,
      queueMax: 10_000,
      run: async (tenantId, items) => {
        const rows = items.map(toInsertRow);
        return toOutcomes(
          rows,
          await this.#database.runForTenant(tenantId, toStatement({ tenantId, slot: countSlot() }, rows)),
        );
      },
    });
    this.#groups = new TenantBatcher({
      itemsMax: 1_000,
      queueMax: 50_000,
      sizeOf: (items) => items.length,
      batchesMax: 2,
      // A taken id undoes the whole batch, whose groups then go one by one: only the one that has it fails.
      run: async (tenantId, groups, place) => {
        const items = [...groups.flat().entries()];
        const target = { tenantId, slot: countSlot(1 + place) };
        const createdAt = await this.#database.forTenant(tenantId, (tx) => insertAllIn(tx, target, items));
        return groups.map(() => createdAt);
      },
    });
  }

  /** Committed together with whatever else the tenant inserts at this moment. */
  insert(item: TokenInsert): Promise<InsertOutcome> {
    return this.#batcher.add(item.token.tenantId, item);
  }

  /**
   * Inserts all of them or none: throws `TakenIds` when an id is taken, which undoes the rest. Committed together with
   * other groups of the tenant, which would otherwise wait for each other at the counter.
   */
  insertAll(tenantId: TenantId, items: readonly TokenInsert[]): Promise<Date> {
    return this.#groups.add(tenantId, items);
  }

  /**
   * As `insertAll`, but a deduplicated token whose fingerprint a living token has already is not made: that one is
   * returned in its place. Writers of equal fingerprints wait for each other, so exactly one of them makes the token.
   */
  insertOrFind(
    tenantId: TenantId,
    items: readonly (TokenInsert & { readonly isDeduplicated: boolean })[],
  ): Promise<{ readonly createdAt: Date; readonly existing: ReadonlyMap<string, StoredToken> }> {
    const wanted = items.flatMap(({ token, isDeduplicated }) => (isDeduplicated ? (token.fingerprint ?? []) : []));
    // Claimed in a fixed order, so that two requests with the same fingerprints cannot deadlock.
    const fingerprints = [...new Set(wanted)].sort();
    return this.#database.forTenant(tenantId, async (tx) => {
      await tx.query({
        name: 'token-claim-fingerprints',
        text: `insert into token_fingerprints (tenant_id, fingerprint) select $1::uuid, unnest($2::text[])
          on conflict (tenant_id, fingerprint) do update set fingerprint = excluded.fingerprint`,
        values: [tenantId, fingerprints],
      });
      const existing = await findByFingerprint(tx, tenantId, fingerprints);
      const isMade = (item: TokenInsert & { readonly isDeduplicated: boolean }, index: number) => {
        const isFirst =
          items.findIndex((other) => other.isDeduplicated && other.token.fingerprint === item.token.fingerprint) ===
          index;
        return (
          !item.isDeduplicated || item.token.fingerprint === null || (isFirst && !existing.has(item.token.fingerprint))
        );
      };
      const made = [...items.entries()].filter(([index, item]) => isMade(item, index));
      return { createdAt: await insertAllIn(tx, { tenantId, slot: countSlot() }, made), existing };
    });
  }

  /** In which containers living tokens of this fingerprint lie, not counting one of them. */
  listTargetsOf(
    tenantId: TenantId,
    fingerprint: string,
    exceptId: TokenId,
  ): Promise<{ id: TokenId; containers: string[] }[]> {
    return this.#database.runForTenant(tenantId, {
      name: 'token-targets-of-fingerprint',
      text: `select t.id, t.containers from tokens t
        where t.tenant_id = $1 and t.fingerprint = $2 and t.id <> $3 and ${isAlive}`,
      values: [tenantId, fingerprint, exceptId],
    });
  }
}

export function toInsertRow({ token, audit }: TokenInsert): InsertRow {
  const { entity_id: _id, containers: _containers, ...shared } = audit;
  return {
    id: token.id,
    token: JSON.stringify(toJsonRow(token)),
    audit: JSON.stringify(shared satisfies SharedAuditRow),
    keyVersion: keyVersionOf(token.data),
  };
}

/** Whose tokens they are, and which of the tenant's counters they add to. */
interface Target {
  readonly tenantId: TenantId;
  readonly slot: number;
}

/** Inserts those whose ids are free, and tells which those were. */
export async function insertFreeIn(
  tx: Transaction,
  target: Target,
  rows: readonly InsertRow[],
): Promise<InsertOutcome[]> {
  return toOutcomes(rows, await tx.query(toStatement(target, rows)));
}

/** Living tokens by fingerprint, the oldest of each. */
async function findByFingerprint(
  tx: Transaction,
  tenantId: TenantId,
  fingerprints: readonly string[],
): Promise<Map<string, StoredToken>> {
  const rows = await tx.query<TokenRow>({
    name: 'token-find-by-fingerprint',
    text: `select distinct on (t.fingerprint) ${tokenColumns} from tokens t ${joinCvc}
      where t.tenant_id = $1 and t.fingerprint = any($2) and ${isAlive}
      order by t.fingerprint, t.created_at, t.id`,
    values: [tenantId, fingerprints],
  });
  return new Map(rows.map((row) => [row.fingerprint ?? '', toStoredToken(tenantId, row)]));
}

async function insertAllIn(
  tx: Transaction,
  target: Target,
  entries: readonly (readonly [index: number, item: TokenInsert])[],
): Promise<Date> {
  if (entries.length === 0) return new Date(0);
  const outcomes = await insertFreeIn(
    tx,
    target,
    entries.map(([, item]) => toInsertRow(item)),
  );
  const taken = entries.filter((_, position) => outcomes[position]?.createdAt === undefined);
  if (taken.length > 0) throw new TakenIds(taken.map(([index]) => index));
  return outcomes[0]?.createdAt ?? new Date(0);
}

function toStatement({ tenantId, slot }: Target, rows: readonly InsertRow[]): Statement {
  const winners = firstOfEachId(rows);
  const records = new Map([...new Set(winners.map(({ audit }) => audit))].map((audit, index) => [audit, index + 1]));
  return {
    name: 'token-insert',
    text: insertText,
    values: [
      tenantId,
      `[${winners.map(({ token, audit }) => `${token.slice(0, -1)},"record":${records.get(audit)}}`).join(',')}]`,
      `[${[...records.keys()].join(',')}]`,
      slot,
      [...new Set(winners.map(({ keyVersion }) => keyVersion))],
    ],
  };
}

function toOutcomes(
  rows: readonly InsertRow[],
  written: readonly { id: TokenId; created_at: Date }[],
): InsertOutcome[] {
  const winners = new Set(firstOfEachId(rows));
  const createdAt = new Map(written.map((row) => [row.id, row.created_at]));
  return rows.map((row) => ({ createdAt: winners.has(row) ? createdAt.get(row.id) : undefined }));
}

/** Of two equal ids in one batch the first wins, as it would have with a statement each. */
function firstOfEachId(rows: readonly InsertRow[]): InsertRow[] {
  const winners = new Map<TokenId, InsertRow>();
  for (const row of rows) if (!winners.has(row.id)) winners.set(row.id, row);
  return [...winners.values()];
}
