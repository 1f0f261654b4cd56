import type { Transform } from '../../../core/access/access-rule.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import { type AuditRow, toAuditRow } from '../../../platform/audit/record/audit-event.ts';
import type { DeduplicationBehavior } from '../../tenants/index.ts';
import { isHeldByPublic } from '../model/container-set-sql.ts';
import type { Conversion } from '../intents/index.ts';
import type { SealedToken } from '../model/token.ts';
import { tokenEvent } from '../model/token-event.ts';
import { findDuplicateKey, type DuplicateKey } from './duplicate-key.ts';
import type { TokenDraft } from './token-draft.ts';

/** A sealed token to insert, with the record of its creation and with everything that the response needs. */
export interface TokenInsert {
  readonly token: SealedToken;
  readonly draft: TokenDraft;
  readonly transform: Transform;
  /** True if the response contains only the id of the token. */
  readonly isIdOnly: boolean;
  /** True if an existing token with the same content is used instead. */
  readonly isDeduplicated: boolean;
  /** False if the caller must not learn whether the data equals that of other tokens. */
  readonly isComparable: boolean;
  /** The number of aliases drawn for its id. */
  readonly aliasTries: number;
  /** True if the token is created with a public or session key, which anybody may hold. */
  readonly isPublic: boolean;
  readonly audit: AuditRow;
  /** The token intent that becomes this token. */
  readonly conversion?: Conversion;
}

export function toTokenInsert(
  caller: KeyCaller,
  token: SealedToken,
  decided: Omit<TokenInsert, 'token' | 'isPublic' | 'audit'>,
): TokenInsert {
  const audit = toCreateRow(caller, token, decided.isIdOnly ? undefined : decided.transform);
  return { ...decided, token, isPublic: isHeldByPublic(caller), audit };
}

/** Lists the token intents that become tokens. */
export function listConversions(inserts: readonly TokenInsert[]): Conversion[] {
  return inserts.flatMap(({ conversion }) => conversion ?? []);
}

/** Returns the key to look for before creating this token, or undefined if it is created in any case. */
export function findWantedKey(
  { token, isDeduplicated }: TokenInsert,
  behavior: DeduplicationBehavior,
): DuplicateKey | undefined {
  return isDeduplicated ? findDuplicateKey(token, behavior) : undefined;
}

/**
 * Makes the audit record of an insert say that the token is shown if an equal token in the request is shown. The first
 * of several equal tokens is stored on behalf of all of them.
 */
export function withSharedViews(
  caller: KeyCaller,
  inserts: readonly TokenInsert[],
  behavior: DeduplicationBehavior,
): readonly TokenInsert[] {
  const keyOf = (insert: TokenInsert) => findWantedKey(insert, behavior)?.text;
  const shown = new Set(inserts.filter(({ isIdOnly }) => !isIdOnly).map(keyOf));
  return inserts.map((insert) => {
    const key = insert.isIdOnly ? keyOf(insert) : undefined;
    if (key === undefined || !shown.has(key)) return insert;
    return { ...insert, audit: toCreateRow(caller, insert.token, insert.transform) };
  });
}

function toCreateRow(caller: KeyCaller, token: SealedToken, transform: Transform | undefined): AuditRow {
  return toAuditRow(caller, tokenEvent(token, 'create', { transform }));
}
