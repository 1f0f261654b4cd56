import type { TenantId, TokenId } from '../../../core/identity/ids.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { TenantBatcher } from '../../../platform/database/tenant-batcher.ts';
import { type ContainerSetLimits, sayIfSetsAreFull } from '../model/container-set-sql.ts';
import { countSlot } from '../model/token-shelf.ts';
import { isAlive } from '../model/token-row-sql.ts';
import type { SealedToken, StoredToken } from '../model/token.ts';
import { findHeld, heldToken, type TokenChange, toUpdateStatement } from '../model/token-store.ts';
import { convertIntents } from '../intents/index.ts';
import type { DuplicateKey } from './duplicate-key.ts';
import { type DuplicateRow, type Duplicates, findDuplicates } from './duplicate-search-sql.ts';
import { claimFingerprints, releaseFingerprints } from './fingerprint-claim-store.ts';
import { findOrInsertAll, type FoundOrInserted, listKeys, listMissing, toWantedGroup } from './shared-duplicates.ts';
import { listConversions, type TokenInsert } from './token-insert.ts';
import { insertAllIn, weightOf } from './token-insert-store.ts';

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
  readonly #groups: TenantBatcher<readonly TokenInsert[], FoundOrInserted>;

  constructor(database: Database, setLimits: ContainerSetLimits) {
    this.#database = database;
    this.#setLimits = setLimits;
    this.#groups = new TenantBatcher({
      name: 'token-duplicate',
      meter: database.batches,
      itemsMax: 1_000,
      queueMax: 50_000,
      sizeOf: weightOf,
      batchesMax: 2,
      // An error rolls back the whole batch. Its requests are then retried in smaller batches, so that only the affected
      // request fails.
      run: (tenantId, groups, slot) => this.#findOrInsert(tenantId, groups, countSlot(3 + slot)),
    });
  }

  /** Returns the oldest live token of each key. */
  findAll(tenantId: TenantId, keys: readonly DuplicateKey[]): Promise<Duplicates> {
    return findDuplicates(
      (statement) => this.#database.runForTenant<DuplicateRow>(tenantId, statement),
      tenantId,
      keys,
    );
  }

  /**
   * Inserts all tokens or none, except deduplicated tokens for which a live token with the same content exists. The
   * existing token is returned instead. Writers of one fingerprint wait for each other, so exactly one of them creates
   * the token. Concurrent requests of the same tenant share a commit.
   */
  insertOrFind(tenantId: TenantId, items: readonly TokenInsert[]): Promise<FoundOrInserted> {
    return sayIfSetsAreFull(this.#groups.add(tenantId, items));
  }

  async #findOrInsert(
    tenantId: TenantId,
    requests: readonly (readonly TokenInsert[])[],
    slot: number,
  ): Promise<FoundOrInserted[]> {
    const groups = await Promise.all(requests.map((items) => toWantedGroup(items, 'return_existing')));
    const fingerprints = new Set(listKeys(groups.flat()).map(({ fingerprint }) => fingerprint));
    return this.#database.forTenant(tenantId, async (tx) => {
      await claimFingerprints(tx, tenantId, fingerprints);
      await convertIntents(tx, tenantId, listConversions(requests.flat()));
      const outcomes = await findOrInsertAll(tx, { tenantId, slot, setLimits: this.#setLimits }, groups);
      await releaseFingerprints(tx, tenantId, fingerprints);
      return outcomes;
    });
  }

  /** Does the same as `insertOrFind`, and updates the tokens that exist. */
  async insertOrUpdate(
    tenantId: TenantId,
    items: readonly TokenInsert[],
    updates: DuplicateUpdates,
  ): Promise<FoundOrInserted> {
    const group = await toWantedGroup(items, 'update_existing');
    const keys = listKeys(group);
    const fingerprints = new Set(keys.map(({ fingerprint }) => fingerprint));
    const target = { tenantId, slot: countSlot(), setLimits: this.#setLimits };
    const writing = this.#database.forTenant(tenantId, async (tx) => {
      await claimFingerprints(tx, tenantId, fingerprints);
      const found = await findDuplicates((statement) => tx.query(statement), tenantId, keys);
      await convertIntents(tx, tenantId, listConversions(items));
      const due = await listChanges(found, updates);
      const missing = listMissing(group, found);
      const [createdAt, changed] = await Promise.all([
        insertAllIn(
          tx,
          target,
          missing.map(({ index, row }) => [index, row]),
        ),
        Promise.all(due.map(async ([text, change]) => [text, await updateIn(tx, change, this.#setLimits)] as const)),
        releaseFingerprints(tx, tenantId, fingerprints),
      ]);
      return { createdAt, existing: new Map(changed) };
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
  if (row === undefined) {
    const held = await tx.query(findHeld(change.current.tenantId, change.current.id));
    throw held.length > 0 ? heldToken() : new ChangedMeanwhile();
  }
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
