import type { RequestBudget } from '../../../core/budget/request-budget.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import { findTokenType } from '../../../core/token-types/token-type-catalog.ts';
import type { Keyring } from '../../../platform/keyring/keys/keyring.ts';
import type { CvcSealer } from '../../../platform/keyring/sealing/cvc-sealer.ts';
import { intentBinding, type SealedIntent } from '../intents/index.ts';
import { fingerprintContent } from '../model/token-expressions.ts';
import type { TokenRequest } from '../model/token-request.ts';
import { toTokenDraft } from './token-draft.ts';

interface IntentSealOptions {
  readonly hasFingerprints: boolean;
  readonly budget: RequestBudget;
  /** Throws if the caller may not create an intent of this type. It is called before the data is sealed. */
  readonly authorize: (type: string) => void;
}

/** Validates the data of token intents like that of tokens, and seals it. */
export class IntentSealer {
  readonly #keyring: Keyring;
  readonly #cvcSealer: CvcSealer;

  constructor(parts: { keyring: Keyring; cvcSealer: CvcSealer }) {
    this.#keyring = parts.keyring;
    this.#cvcSealer = parts.cvcSealer;
  }

  async seal(
    { tenantId }: KeyCaller,
    request: TokenRequest,
    { hasFingerprints, budget, authorize }: IntentSealOptions,
  ): Promise<Omit<SealedIntent, 'createdBy'>> {
    if (findTokenType(request.type) !== undefined) authorize(request.type);
    const { type, data, dataText, cvc, expressions } = await toTokenDraft(request, new Date(), budget);
    const keys = await this.#keyring.forTenant(tenantId);
    const scope = { data, metadata: {} };
    const content = hasFingerprints ? await fingerprintContent('', expressions, scope, budget) : undefined;
    const row = { id: crypto.randomUUID(), type: type.name };
    return {
      ...row,
      tenantId,
      data: keys.seal(dataText.reveal(), intentBinding(row, 'data')),
      cvc: cvc === undefined ? null : this.#cvcSealer.seal(cvc.reveal(), { ...intentBinding(row, 'cvc'), tenantId }),
      fingerprint:
        content === undefined || content.reveal() === '' ? null : keys.fingerprint(type.name, content.reveal()),
    };
  }
}
