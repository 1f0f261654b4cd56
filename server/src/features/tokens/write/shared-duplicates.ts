import type { TenantId } from '../../../core/identity/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import type { DuplicateKey } from './duplicate-key.ts';
import { type Duplicates, findDuplicates } from './duplicate-search-sql.ts';
import type { DeduplicationBehavior } from '../../tenants/index.ts';
import { findWantedKey, type TokenInsert } from './token-insert.ts';
import { type InsertRow, type InsertTarget, toInsertRow } from './token-insert-sql.ts';
import { insertAllIn } from './token-insert-store.ts';

/** A token to insert, unless an equal one exists. */
export interface WantedRow {
  /** Its position in the request. */
  readonly index: number;
  readonly row: InsertRow;
  /** Undefined if the token is inserted in any case. */
  readonly key: DuplicateKey | undefined;
}

/** The tokens of one request. */
export type WantedGroup = readonly WantedRow[];

/** The tokens that a request can use instead of its own, and the time at which the others were inserted. */
export interface FoundOrInserted {
  readonly createdAt: Date;
  readonly existing: Duplicates;
}

/** Prepares rows before the transaction, because this can take a while and would block its connection for others. */
export function toWantedGroup(items: readonly TokenInsert[], behavior: DeduplicationBehavior): Promise<WantedGroup> {
  const toWanted = (item: TokenInsert, index: number) => ({
    index,
    row: toInsertRow(item),
    key: findWantedKey(item, behavior),
  });
  return mapInTurns([...items.entries()], ([index, item]) => toWanted(item, index));
}

/** Lists the keys of the tokens, each of them once. */
export function listKeys(rows: readonly WantedRow[]): DuplicateKey[] {
  const keys = rows.flatMap(({ key }) => key ?? []);
  return [...new Map(keys.map((key) => [key.text, key])).values()];
}

/** Lists the tokens to insert. If several tokens of a request are equal, only the first is inserted. */
export function listMissing(group: WantedGroup, found: Duplicates): WantedRow[] {
  const seen = new Set(found.keys());
  return group.filter(({ key }) => {
    if (key === undefined) return true;
    const isMissing = !seen.has(key.text);
    seen.add(key.text);
    return isMissing;
  });
}

/**
 * Finds or inserts the tokens of several requests, with the same results as if the requests came one after another. Their
 * fingerprints must be claimed. A request looks again if a token that it would insert may equal one that an earlier
 * request has just inserted.
 */
export async function findOrInsertAll(
  tx: Transaction,
  target: InsertTarget,
  groups: readonly WantedGroup[],
): Promise<FoundOrInserted[]> {
  const outcomes = new Map<WantedGroup, FoundOrInserted>();
  let waiting = groups;
  while (waiting.length > 0) {
    const found = await findIn(tx, target.tenantId, waiting);
    const { settled, missing, later } = splitRound(waiting, found);
    const createdAt = await insertAllIn(
      tx,
      target,
      missing.map(({ index, row }) => [index, row]),
    );
    for (const group of settled) outcomes.set(group, { createdAt, existing: found });
    waiting = later;
  }
  return groups.flatMap((group) => outcomes.get(group) ?? []);
}

function findIn(tx: Transaction, tenantId: TenantId, groups: readonly WantedGroup[]): Promise<Duplicates> {
  return findDuplicates((statement) => tx.query(statement), tenantId, listKeys(groups.flat()));
}

/** Separates the requests that can be completed now from those that must look again after this round. */
function splitRound(waiting: readonly WantedGroup[], found: Duplicates) {
  const inserted = new Set<string>();
  const settled: WantedGroup[] = [];
  const missing: WantedRow[] = [];
  const later: WantedGroup[] = [];
  for (const group of waiting) {
    const own = listMissing(group, found);
    const fingerprints = own.flatMap(({ key }) => key?.fingerprint ?? []);
    if (fingerprints.some((fingerprint) => inserted.has(fingerprint))) {
      later.push(group);
      continue;
    }
    settled.push(group);
    missing.push(...own);
    for (const fingerprint of fingerprints) inserted.add(fingerprint);
  }
  return { settled, missing, later };
}
