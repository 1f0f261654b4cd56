import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import type { AuditRow } from '../../../platform/audit/record/audit-event.ts';
import { insertAuditRecords } from '../../../platform/audit/record/audit-statement.ts';
import type { Database, Statement, Transaction } from '../../../platform/database/database.ts';
import { TenantBatcher } from '../../../platform/database/tenant-batcher.ts';
import { keysAreOpen, keyVersionsOf } from '../../../platform/keyring/keys/sealed-rows.ts';
import { type ContainerSetLimits, hasRoomForSets, sayIfSetsAreFull, toRoomValues } from './container-set-sql.ts';
import { countSlot, toShelfKey } from './token-shelf.ts';
import type { SealedToken, StoredToken } from './token.ts';
import { findAmong, findText, type FoundTokens, toFoundTokens } from './token-find-sql.ts';
import { isHeld } from './legal-hold-sql.ts';
import { removeWithGone } from './token-removal-sql.ts';
import {
  bytesBefore,
  cvcExpiry,
  type FoundRow,
  isAlive,
  joinCvc,
  jsonRowColumns,
  toAttributesRow,
  toByteaText,
  toJsonRow,
  tokenColumns,
  type TokenRow,
  toStoredToken,
} from './token-row-sql.ts';

// A deleted token may have been replaced by another with the same id, whose versions start over. The creation time
// distinguishes the two.
const deleteText = `with gone as (
    delete from tokens where tenant_id = $1 and id = $2 and version = $3 and created_at = $6 and coalesce(revision, 0) = $7
      and not ${isHeld('tokens')}
    returning id, type, containers, terms, created_at
  ), ${removeWithGone(5)}, recorded as (
    ${insertAuditRecords(4, 'join gone on gone.id = record.entity_id')}
  )
  select id from gone`;

const updateText = `with row as materialized (
    select * from json_to_recordset($4::json) as row(${jsonRowColumns}) where ${keysAreOpen(13)} and ${hasRoomForSets(14)}
  ), changed as (
    update tokens set version = row.version, data = coalesce(row.data, tokens.data), mask = row.mask, containers = row.containers, shelf = row.shelf,
      metadata = row.metadata, search_indexes = row.search_indexes, fingerprint = row.fingerprint,
      fingerprint_expression = row.fingerprint_expression, views = row.views, revision = $19, terms = row.terms, expires_at = row.expires_at,
      expires_at_offset_minutes = row.expires_at_offset_minutes, modified_by = $5, modified_at = now()
    from row
    where tokens.tenant_id = $1 and tokens.id = $2 and tokens.version = $3 and tokens.created_at = $12
      and coalesce(tokens.revision, 0) = $18 and not ($20 and ${isHeld('tokens')})
    returning tokens.id, tokens.type, tokens.created_at, tokens.modified_at
  ), unlisted as (
    delete from token_terms using changed
    where tenant_id = $1 and token_id = changed.id and token_terms.created_at = changed.created_at and term = any($6::bytea[])
  ), listed as (
    insert into token_terms (tenant_id, term, created_at, token_id)
    select $1::uuid, unnest($7::bytea[]), created_at, id from changed
  ), uncoded as (
    delete from token_cvcs using changed where $8 = 'remove' and tenant_id = $1 and token_id = changed.id
  ), coded as (
    insert into token_cvcs (tenant_id, token_id, token_version, sealed, expires_at)
    select $1::uuid, changed.id, row.version, row.cvc, ${cvcExpiry} from changed cross join row where $8 = 'set'
    on conflict (tenant_id, token_id)
    do update set token_version = excluded.token_version, sealed = excluded.sealed, expires_at = excluded.expires_at
  ), counted as (
    insert into token_counts (tenant_id, type, containers, slot, tokens)
    select $1::uuid, changed.type, moved.containers, $10, moved.tokens
    from changed cross join json_to_recordset($9::json) as moved(containers text[], tokens integer)
    order by moved.containers
    on conflict (tenant_id, type, containers, slot) do update set tokens = token_counts.tokens + excluded.tokens
  ), recorded as (
    ${insertAuditRecords(11, 'join changed on changed.id = record.entity_id')}
  )
  select modified_at from changed`;

/** The effect of an update on the card verification code. */
export type CvcChange = 'keep' | 'set' | 'remove';

/**
 * The current and the next version of a token, with everything that is written in the same transaction. A revision
 * keeps the version and the data.
 */
export interface TokenChange {
  readonly current: StoredToken;
  readonly next: SealedToken;
  readonly cvc: CvcChange;
  readonly modifiedBy: string;
  /** True if the change is made with a public or session key, which anybody may hold. */
  readonly isPublic: boolean;
  /** True unless the change is one that a legal hold allows. */
  readonly isStoppedByHold: boolean;
  /** The audit records of the change. The first one is for the update itself. */
  readonly audit: readonly AuditRow[];
}

export class TokenStore {
  readonly #database: Database;
  readonly #setLimits: ContainerSetLimits;
  readonly #finds: TenantBatcher<TokenId, FoundTokens>;

  constructor(database: Database, setLimits: ContainerSetLimits) {
    this.#database = database;
    this.#setLimits = setLimits;
    this.#finds = new TenantBatcher({
      name: 'token-find',
      meter: database.batches,
      itemsMax: 200,
      queueMax: 10_000,
      run: async (tenantId, ids) => {
        const found = await this.findAll(tenantId, ids);
        return ids.map(() => found);
      },
    });
  }

  /** Finds a token. Concurrent look-ups of the same tenant share one query. */
  find(tenantId: TenantId, id: TokenId): Promise<StoredToken | undefined> {
    return findAmong(id, () => this.#finds.add(tenantId, id));
  }

  /** Returns the existing tokens among the ids, up to the amount of data that a page may contain. */
  async findAll(tenantId: TenantId, ids: readonly TokenId[]): Promise<FoundTokens> {
    const rows = await this.#database.runForTenant<FoundRow>(tenantId, {
      name: 'token-find',
      text: findText,
      values: [tenantId, [...new Set(ids)]],
    });
    return toFoundTokens(tenantId, rows);
  }

  /**
   * Lists live tokens in the order of their ids. Ids never change, so a caller that reads all pages sees each token
   * once. A page ends early if its data grows too large.
   */
  async listIn(
    tx: Transaction,
    tenantId: TenantId,
    page: {
      readonly after: string;
      readonly limit: number;
      readonly type: string | null;
      readonly container: string | null;
    },
  ): Promise<StoredToken[]> {
    const rows = await tx.query<TokenRow>({
      name: 'token-page',
      text: `select * from (
          select ${tokenColumns}, ${bytesBefore('t.id')} from tokens t ${joinCvc}
          where t.tenant_id = $1 and t.id > $2 and ${isAlive}
            and ($4::text is null or t.type = $4) and ($5::text is null or $5 = any(t.containers))
          order by t.id limit $3) as page
        where bytes_before < ${tokenQueryLimits.pageBytesMax} order by id`,
      values: [tenantId, page.after, page.limit, page.type, page.container],
    });
    return rows.map((row) => toStoredToken(tenantId, row));
  }

  /**
   * Deletes this version of the token. Returns false if the token was changed or deleted in the meantime, or if a legal
   * hold keeps it.
   */
  async delete(token: StoredToken, audit: AuditRow): Promise<boolean> {
    const rows = await this.#database.runForTenant(token.tenantId, {
      name: 'token-delete',
      text: deleteText,
      values: [
        token.tenantId,
        token.id,
        token.version,
        JSON.stringify([audit]),
        countSlot(),
        token.createdAt,
        token.revision,
      ],
    });
    return rows.length > 0;
  }

  /** Throws if a legal hold keeps the token. Called after a write that had no effect, to find out why. */
  async requireNotHeld({ tenantId, id }: Pick<StoredToken, 'tenantId' | 'id'>): Promise<void> {
    const held = await this.#database.runForTenant(tenantId, findHeld(tenantId, id));
    if (held.length > 0) throw heldToken();
  }

  /**
   * Replaces this version of the token with the next one. Returns undefined if the token was changed or deleted in the
   * meantime, or if a legal hold keeps it.
   */
  async update(change: TokenChange): Promise<Date | undefined> {
    const writing = this.#database.runForTenant<{ modified_at: Date }>(
      change.current.tenantId,
      toUpdateStatement(change, this.#setLimits),
    );
    const [row] = await sayIfSetsAreFull(writing);
    return row?.modified_at;
  }
}

/** Returns the statement that finds a token if a legal hold keeps it. */
export function findHeld(tenantId: TenantId, id: TokenId): Statement {
  return {
    text: `select from tokens t where t.tenant_id = $1 and t.id = $2 and ${isHeld('t')}`,
    values: [tenantId, id],
  };
}

export function heldToken(): DomainError {
  return new DomainError('legal-hold', 'A legal hold keeps this token as it is.');
}

/** Returns a statement that has no effect and returns no row if the token was changed or deleted in the meantime. */
export function toUpdateStatement(change: TokenChange, setLimits: ContainerSetLimits): Statement {
  const { current, next, cvc, modifiedBy, audit, isPublic, isStoppedByHold } = change;
  // Unchanged data is not written, because it may have been re-encrypted with another key since it was read.
  const isDataKept = next.version === current.version;
  return {
    name: 'token-update',
    text: updateText,
    values: [
      current.tenantId,
      current.id,
      current.version,
      JSON.stringify([isDataKept ? toAttributesRow(next) : toJsonRow(next)]),
      modifiedBy,
      without(current.terms, next.terms),
      without(next.terms, current.terms),
      cvc,
      JSON.stringify(movesOf(current, next)),
      countSlot(),
      JSON.stringify(audit),
      current.createdAt,
      isDataKept ? [] : keyVersionsOf([next.data]),
      ...toRoomValues([{ shelf: toShelfKey(next), isPublic }], setLimits),
      current.revision,
      isDataKept ? next.revision : null,
      isStoppedByHold,
    ],
  };
}

/** Omits terms that are in both lists, because one statement cannot delete a row and insert it again. */
function without(terms: readonly Buffer[], others: readonly Buffer[]): string[] {
  const excluded = new Set(others.map(toByteaText));
  return terms.map(toByteaText).filter((term) => !excluded.has(term));
}

function movesOf(current: StoredToken, next: SealedToken): { containers: readonly string[]; tokens: number }[] {
  if (current.containers.join() === next.containers.join()) return [];
  return [
    { containers: current.containers, tokens: -1 },
    { containers: next.containers, tokens: 1 },
  ];
}
