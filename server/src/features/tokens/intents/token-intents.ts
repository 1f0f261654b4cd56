import { DomainError, invalidField } from '../../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import { isUuid, type TenantId } from '../../../core/identity/ids.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { inMebibytes } from '../../../core/text/byte-size.ts';
import { tokenQueryLimits } from '../../../core/token-limits.ts';
import { recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Keyring } from '../../../platform/keyring/keys/keyring.ts';
import type { CvcSealer } from '../../../platform/keyring/sealing/cvc-sealer.ts';
import { joinPath } from '../model/token-request.ts';
import { withCode } from '../model/verification-code.ts';
import { intentBinding, intentEvent, type StoredIntent } from './token-intent.ts';
import { TokenIntentStore } from './token-intent-store.ts';

/** An intent that a request turns into a token. */
export interface Conversion {
  readonly intentId: string;
  /** The position of the token request in the body, for messages. */
  readonly path: string;
  readonly caller: KeyCaller;
}

/** Finds and opens the token intents of tenants. */
export class TokenIntents {
  readonly #parts: { readonly database: Database; readonly keyring: Keyring; readonly cvcSealer: CvcSealer };

  constructor(parts: { database: Database; keyring: Keyring; cvcSealer: CvcSealer }) {
    this.#parts = parts;
  }

  /** Returns the existing intents among the ids. Throws if they are too large to be kept in memory together. */
  async findAll(tenantId: TenantId, ids: readonly string[]): Promise<ReadonlyMap<string, StoredIntent>> {
    const known = ids.filter(isUuid);
    if (known.length === 0) return new Map();
    const { intents, isCut } = await this.#parts.database.forTenant(tenantId, (tx) =>
      new TokenIntentStore(tx, tenantId).findAll(known),
    );
    if (!isCut) return intents;
    throw new DomainError(
      'validation-failed',
      `The token intents that the request refers to hold too much data together (more than ${inMebibytes(tokenQueryLimits.pageBytesMax)}). Refer to fewer of them at a time.`,
      { found: {} },
    );
  }

  /** Returns the data as JSON text, without a card verification code. */
  async open(intent: StoredIntent): Promise<Sensitive<string>> {
    const keys = await this.#parts.keyring.forRecord(intent.tenantId, intent.data);
    return new Sensitive(keys.open(intent.data, intentBinding(intent, 'data')));
  }

  /** Returns the data as JSON text, with the card verification code if it has not expired. */
  async openWhole(intent: StoredIntent): Promise<Sensitive<string>> {
    const text = await this.open(intent);
    const { cvc, tenantId } = intent;
    if (cvc === null) return text;
    const code = await this.#parts.cvcSealer.open(cvc, { ...intentBinding(intent, 'cvc'), tenantId });
    return code === undefined ? text : withCode(text, new Sensitive(code));
  }
}

/**
 * Removes the intents that are becoming tokens, in the transaction that creates the tokens. Throws if one of them is
 * gone, so that one intent never becomes two tokens.
 */
export async function convertIntents(
  tx: Transaction,
  tenantId: TenantId,
  conversions: readonly Conversion[],
): Promise<void> {
  if (conversions.length === 0) return;
  // Ids are in a fixed order, so that two requests with the same intents cannot deadlock.
  const taken = new Map(
    await new TokenIntentStore(tx, tenantId).take(conversions.map(({ intentId }) => intentId).toSorted()),
  );
  for (const { intentId, path, caller } of conversions) {
    const intent = taken.get(intentId);
    if (intent === undefined) throw noSuchIntentAt(path);
    taken.delete(intentId);
    await recordInTransaction(tx, tenantId, caller, intentEvent('accept', intent));
  }
}

export function noSuchIntentAt(path: string) {
  return invalidField(joinPath(path, 'token_intent_id'), 'does not exist, has expired, or has become a token');
}
