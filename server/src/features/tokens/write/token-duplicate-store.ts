import { DomainError } from '../../../core/errors/domain-error.ts';
import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import { inMebibytes } from '../../../core/text/byte-size.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import { type ContainerSetLimits, sayIfSetsAreFull } from '../model/container-set-sql.ts';
import { countSlot } from '../model/token-shelf.ts';
import type { DeduplicationBehavior } from '../../tenants/index.ts';
import type { DuplicateKey } from './duplicate-key.ts';
import type { SealedToken, StoredToken } from '../model/token.ts';
import { convertIntents } from '../intents/index.ts';
import { findWantedKey, listConversions, type TokenInsert } from './token-insert.ts';
import { toInsertRow } from './token-insert-sql.ts';
import { insertAllIn } from './token-insert-store.ts';
import {
  bytesBefore,
  type FoundRow,
  isAlive,
  isCutOff,
  joinCvc,
  tokenColumns,
  toStoredTokens,
} from '../model/token-row-sql.ts';
import { type TokenChange, toUpdateStatement } from '../model/token-store.ts';

/** Live tokens by the text of their duplicate key. */
export type Duplicates = ReadonlyMap<string, StoredToken>;

/** The updates of the tokens that are found. */
export interface DuplicateUpdates {
  /** Updates for tokens that already existed when the updates were prepared. */
  readonly prepared: ReadonlyMap<string, TokenChange>;
  /**
   * Prepares updates for tokens that others have written in the meantime. It is called while the fingerprints are
   * claimed, so it must not wait for anything.
   */
  readonly prepare: (found: Duplicates) => Promise<ReadonlyMap<string, TokenChange>>;
}

/** Thrown if a token was deleted or updated by its id while its update was in progress. Nothing was written. */
export class ChangedMeanwhile extends Error {
  constructor() {
    super('A duplicate has changed in the meantime.');
    this.name = 'ChangedMeanwhile';
  }
}

export class TokenDuplicateStore {
  readonly #database: Database;
  readonly #setLimits: ContainerSetLimits;

  constructor(database: Database, setLimits: ContainerSetLimits) {
    this.#database = database;
    this.#setLimits = setLimits;
  }

  /** Returns the oldest live token of each key. */
  async findAll(tenantId: TenantId, keys: readonly DuplicateKey[]): Promise<Duplicates> {
    const rows = await this.#database.runForTenant<DuplicateRow>(tenantId, findStatement(tenantId, keys));
    return toDuplicates(tenantId, keys, rows);
  }

  /**
   * Inserts all tokens or none, except deduplicated tokens for which a live token with the same content exists. The
   * existing token is returned instead, after it has been updated if there is an update for it. Writers of one
   * fingerprint wait for each other, so exactly one of them creates the token.
   */
  async insertOrFind(
    tenantId: TenantId,
    items: readonly TokenInsert[],
    updates?: DuplicateUpdates,
  ): Promise<{ readonly createdAt: Date; readonly existing: Duplicates }> {
    const behavior = updates === undefined ? 'return_existing' : 'update_existing';
    const keys = listKeys(items, behavior);
    const rows = await mapInTurns(items, toInsertRow);
    // Fingerprints are claimed in a fixed order, so that two requests with the same fingerprints cannot deadlock.
    const fingerprints = [...new Set(keys.map(({ fingerprint }) => fingerprint))].sort();
    const target = { tenantId, slot: countSlot(), setLimits: this.#setLimits };
    const writing = this.#database.forTenant(tenantId, async (tx) => {
      await tx.query({
        name: 'token-claim-fingerprints',
        text: `insert into token_fingerprints (tenant_id, fingerprint) select $1::uuid, unnest($2::text[])
          on conflict (tenant_id, fingerprint) do update set fingerprint = excluded.fingerprint`,
        values: [tenantId, fingerprints],
      });
      const found = toDuplicates(tenantId, keys, await tx.query<DuplicateRow>(findStatement(tenantId, keys)));
      await convertIntents(tx, tenantId, listConversions(items));
      const missing = indexesOfMissing(items, found, behavior);
      const due = updates === undefined ? [] : await listChanges(found, updates);
      const [createdAt, changed] = await Promise.all([
        insertAllIn(
          tx,
          target,
          [...rows.entries()].filter(([index]) => missing.has(index)),
        ),
        Promise.all(due.map(async ([text, change]) => [text, await updateIn(tx, change, this.#setLimits)] as const)),
        // A claim makes other writers wait until the commit. It must not outlive its token, so it is deleted in the
        // same transaction.
        tx.query({
          name: 'token-release-fingerprints',
          text: `delete from token_fingerprints where tenant_id = $1 and fingerprint = any($2)`,
          values: [tenantId, fingerprints],
        }),
      ]);
      return { createdAt, existing: updates === undefined ? found : new Map(changed) };
    });
    return sayIfSetsAreFull(writing);
  }

  /** Returns id and containers of at most `limit` other live tokens with the same content, in any container. */
  listOthers(token: SealedToken, key: DuplicateKey, limit: number): Promise<{ id: TokenId; containers: string[] }[]> {
    return this.#database.runForTenant(token.tenantId, {
      name: 'token-list-duplicates',
      text: `select t.id, t.containers from tokens t
        where t.tenant_id = $1 and t.fingerprint = $2 and coalesce(t.fingerprint_expression, $4) = $3 and t.id <> $5 and ${isAlive}
        limit $6`,
      values: [token.tenantId, key.fingerprint, key.expression, key.defaultExpression, token.id, limit],
    });
  }
}

/** Removes orphaned claims of an earlier version. Claims in use are locked by their transaction and skipped. */
export async function deleteLeftClaims(tx: Transaction, tenantId: TenantId, limit: number): Promise<number> {
  const rows = await tx.query({
    text: `delete from token_fingerprints where tenant_id = $1 and fingerprint = any (array(
        select fingerprint from token_fingerprints where tenant_id = $1 limit $2 for update skip locked)) returning 1`,
    values: [tenantId, limit],
  });
  return rows.length;
}

/** A row with the position of the key that found it, starting at one. */
interface DuplicateRow extends FoundRow {
  readonly place: number;
}

function listKeys(items: readonly TokenInsert[], behavior: DeduplicationBehavior): DuplicateKey[] {
  const keys = items.flatMap((item) => findWantedKey(item, behavior) ?? []);
  return [...new Map(keys.map((key) => [key.text, key])).values()];
}

/** Returns the indexes of the tokens to create. If several tokens are equal, only the first is created. */
function indexesOfMissing(
  items: readonly TokenInsert[],
  found: Duplicates,
  behavior: DeduplicationBehavior,
): ReadonlySet<number> {
  const seen = new Set(found.keys());
  const missing = new Set<number>();
  for (const [index, item] of items.entries()) {
    const text = findWantedKey(item, behavior)?.text;
    if (text === undefined || !seen.has(text)) missing.add(index);
    if (text !== undefined) seen.add(text);
  }
  return missing;
}

/**
 * True for a token in the requested containers. Unless an update follows, it must also have the requested mask and live
 * at least as long.
 */
const isAsWanted = `(t.shelf = wanted.shelf and (not wanted.is_kept or (t.mask is not distinct from wanted.mask
  and (t.expires_at is null or t.expires_at >= wanted.ends_at))))`;

/**
 * Returns a condition that is true if the column names a private application that writes to all containers, or is null.
 * Null means an operator or, for `modified_by`, that the token was never modified. Anybody can hold the key of a public
 * application. An application that writes to some containers could put another value into its token later, even if the
 * request names a container that belongs to others.
 */
function isTrusted(column: 'created_by' | 'modified_by'): string {
  return `(t.${column} is null or exists (
    select from applications a where a.tenant_id = t.tenant_id and a.id = t.${column} and a.type = 'private'
      and (a.permissions && array['token:create', 'token:update'] or exists (
        select from jsonb_array_elements(a.rules) as rule where rule ->> 'container' = '/'
          and rule -> 'permissions' ?| array['token:create', 'token:update']))))`;
}

function findStatement(tenantId: TenantId, keys: readonly DuplicateKey[]) {
  return {
    name: 'token-find-duplicates',
    text: `select * from (
        select t.*, wanted.place::integer as place, count(*) over ()::integer as found, ${bytesBefore('t.id')}
        from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::timestamptz[])
          with ordinality as wanted(fingerprint, expression, default_expression, shelf, is_kept, mask, ends_at, place)
        cross join lateral (
          select ${tokenColumns} from tokens t ${joinCvc}
          where t.tenant_id = $1 and t.fingerprint = wanted.fingerprint
            and coalesce(t.fingerprint_expression, wanted.default_expression) = wanted.expression
            and ${isAlive} and (${isAsWanted} or (wanted.is_kept and ${isTrusted('created_by')} and ${isTrusted('modified_by')}))
          order by t.created_at, t.id limit 1
        ) as t
      ) as token where bytes_before < ${tokenQueryLimits.pageBytesMax}`,
    values: [
      tenantId,
      keys.map(({ fingerprint }) => fingerprint),
      keys.map(({ expression }) => expression),
      keys.map(({ defaultExpression }) => defaultExpression),
      keys.map(({ shelf }) => shelf),
      keys.map(({ kept }) => kept !== undefined),
      keys.map(({ kept }) => kept?.mask ?? null),
      keys.map(({ kept }) => kept?.endsAt ?? null),
    ],
  };
}

function toDuplicates(tenantId: TenantId, keys: readonly DuplicateKey[], rows: readonly DuplicateRow[]): Duplicates {
  if (isCutOff(rows)) {
    throw new DomainError(
      'validation-failed',
      `The existing tokens with the content of this request hold too much data together (more than ${inMebibytes(tokenQueryLimits.pageBytesMax)}). Send fewer values at a time.`,
    );
  }
  return new Map(
    toStoredTokens(tenantId, rows).flatMap((token, index) => {
      const key = keys[(rows[index]?.place ?? 0) - 1];
      return key === undefined ? [] : [[key.text, token] as const];
    }),
  );
}

async function listChanges(
  found: Duplicates,
  { prepared, prepare }: DuplicateUpdates,
): Promise<(readonly [text: string, change: TokenChange])[]> {
  const isFor = (change: TokenChange | undefined, { id, version }: StoredToken) =>
    change?.current.id === id && change.current.version === version;
  const stale = new Map([...found].filter(([text, token]) => !isFor(prepared.get(text), token)));
  const again = stale.size === 0 ? undefined : await prepare(stale);
  return [...found.keys()].flatMap((text) => {
    const change = again?.get(text) ?? prepared.get(text);
    return change === undefined ? [] : [[text, change] as const];
  });
}

async function updateIn(tx: Transaction, change: TokenChange, limits: ContainerSetLimits): Promise<StoredToken> {
  const [row] = await tx.query<{ modified_at: Date }>(toUpdateStatement(change, limits));
  if (row === undefined) throw new ChangedMeanwhile();
  const { current, next, cvc, modifiedBy } = change;
  return {
    ...next,
    cvc: cvc === 'keep' ? current.cvc : next.cvc,
    createdBy: current.createdBy,
    createdAt: current.createdAt,
    modifiedBy,
    modifiedAt: row.modified_at,
  };
}
