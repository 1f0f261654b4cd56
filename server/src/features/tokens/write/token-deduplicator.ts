import { mostTransform, type Transform } from '../../../core/access/access-rule.ts';
import { requireAccess } from '../../../core/access/decide-access.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import { TurnQueue } from '../../../platform/waiting/turn-queue.ts';
import { toAuditRow } from '../../../platform/audit/record/audit-event.ts';
import type { DeduplicationBehavior } from '../../tenants/index.ts';
import { isHeldByPublic } from '../model/container-set-sql.ts';
import { invalidAt } from '../model/token-request.ts';
import type { StoredToken } from '../model/token.ts';
import type { TokenDraft } from './token-draft.ts';
import type { Duplicates } from './duplicate-search-sql.ts';
import type { FoundOrInserted } from './shared-duplicates.ts';
import { ChangedMeanwhile, type TokenDuplicateStore } from './token-duplicate-store.ts';
import { tokenEvent } from '../model/token-event.ts';
import { findWantedKey, type TokenInsert } from './token-insert.ts';
import type { TokenSealer } from './token-sealer.ts';
import { findShownTransform, untilNotOvertaken } from '../read/index.ts';
import type { TokenChange } from '../model/token-store.ts';
import { authorsOf } from './view-authors.ts';

/** Tokens by the text of their keys: the one to write for each content, and all the tokens that it represents. */
interface WantedTokens {
  readonly wanted: ReadonlyMap<string, TokenInsert>;
  readonly sharing: ReadonlyMap<string, readonly TokenInsert[]>;
}

/**
 * The maximum number of requests that wait to write the same content. They run one at a time, within a process in a
 * queue and across servers by the claim. Updates by id are the only writes that can run between them.
 */
const waitingMax = 1_000;

/** Stores each content once, and updates or returns existing tokens as the tenant has configured. */
export class TokenDeduplicator {
  readonly #store: TokenDuplicateStore;
  readonly #sealer: TokenSealer;
  readonly #turns = new TurnQueue(waitingMax);

  constructor(parts: { store: TokenDuplicateStore; sealer: TokenSealer }) {
    this.#store = parts.store;
    this.#sealer = parts.sealer;
  }

  async insertOrFind(
    caller: KeyCaller,
    inserts: readonly TokenInsert[],
    behavior: DeduplicationBehavior,
  ): Promise<FoundOrInserted> {
    if (behavior === 'return_existing') return this.#store.insertOrFind(caller.tenantId, inserts);
    const wanted = requireDistinct(inserts);
    const [turn = ''] = [...wanted.keys()].sort();
    const keys = [...wanted.values()].flatMap((insert) => findWantedKey(insert, behavior) ?? []);
    const sharing = Map.groupBy(inserts, (insert) => findWantedKey(insert, behavior)?.text ?? '');
    const prepare = (found: Duplicates) => this.#prepareChanges(caller, { wanted, sharing }, found);
    return this.#turns.run(`${caller.tenantId}/${turn}`, () =>
      untilNotOvertaken(async () => {
        const found = await this.#store.findAll(caller.tenantId, keys);
        // Changes are authorized and sealed before the transaction opens, so that it holds its connection no longer
        // than necessary.
        const prepared = await prepare(found);
        try {
          return await this.#store.insertOrUpdate(caller.tenantId, inserts, { prepared, prepare });
        } catch (error) {
          if (error instanceof ChangedMeanwhile) return undefined;
          throw error;
        }
      }),
    );
  }

  /** Prepares changes without waiting for keys, because they were already fetched for the inserts. */
  async #prepareChanges(
    caller: KeyCaller,
    { wanted, sharing }: WantedTokens,
    duplicates: Duplicates,
  ): Promise<ReadonlyMap<string, TokenChange>> {
    const found = [...duplicates].flatMap(([text, current]) => {
      const insert = wanted.get(text);
      return insert === undefined ? [] : [{ text, current, draft: toUpdatedDraft(caller, current, insert.draft) }];
    });
    const sealed = await this.#sealer.sealAll(
      caller,
      found.map(({ draft }) => draft),
      { hasFingerprints: true },
    );
    return new Map(
      found.flatMap(({ text, current, draft }, index) => {
        const next = sealed[index];
        if (next === undefined) throw new Error('A batch returned fewer results than it was given items.');
        const cvc = draft.cvc === undefined ? 'remove' : 'set';
        const transform = findMostShown(caller, current, sharing.get(text) ?? []);
        const audit = [toAuditRow(caller, tokenEvent(next, 'update', { transform, details: { via: 'duplicate' } }))];
        const by = { modifiedBy: caller.applicationId, isPublic: isHeldByPublic(caller), isStoppedByHold: true };
        return [[text, { current, next, cvc, audit, ...by }] as const];
      }),
    );
  }
}

/** Returns the most that the response shows of the token, or undefined if it contains only the id. */
function findMostShown(
  caller: KeyCaller,
  current: StoredToken,
  inserts: readonly TokenInsert[],
): Transform | undefined {
  const shown = inserts.filter(({ isIdOnly }) => !isIdOnly);
  return mostTransform(shown.map(({ transform }) => findShownTransform(caller, current, transform)));
}

/**
 * Returns the token as the request would have created it. Mask and search indexes come from the request even if it
 * names none. Those of the stored token may come from somebody else, who chose them to see the data that is written
 * now.
 */
function toUpdatedDraft(caller: KeyCaller, current: StoredToken, draft: TokenDraft): TokenDraft {
  requireAccess(caller.grants, 'token:update', current);
  const { id, version, containers } = current;
  const moved = { ...draft, id, version: version + 1, containers };
  return { ...moved, viewAuthors: authorsOf(caller, moved, current.id) };
}

/**
 * Returns inserts by the text of their keys. Only one of two tokens with the same content is written. If they differ in
 * anything else, the request is rejected, because the properties of the other token would be lost.
 */
function requireDistinct(inserts: readonly TokenInsert[]): ReadonlyMap<string, TokenInsert> {
  const byKey = new Map<string, TokenInsert>();
  for (const insert of inserts) {
    const text = findWantedKey(insert, 'update_existing')?.text;
    if (text === undefined) continue;
    const first = byKey.get(text);
    if (first === undefined) byKey.set(text, insert);
    else if (!isSame(first.draft, insert.draft)) {
      throw invalidAt(insert.draft.path, 'data', 'appears twice in this request with different properties');
    }
  }
  return byKey;
}

function isSame(one: TokenDraft, other: TokenDraft): boolean {
  const said = ({ dataText, cvc, metadata, texts, expiresAt }: TokenDraft) =>
    JSON.stringify([dataText.reveal(), cvc?.reveal(), metadata, texts, expiresAt]);
  return said(one) === said(other);
}
