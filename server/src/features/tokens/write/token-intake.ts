import { DomainError } from '../../../core/errors/domain-error.ts';
import type { LifeLimit } from '../../../core/expiry/life-limit.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { JsonSource } from '../../../core/json/json-source.ts';
import { toAuditRow } from '../../../platform/audit/record/audit-event.ts';
import { noCvcSealer } from '../../../platform/keyring/sealing/cvc-sealer.ts';
import { compileSchema, findFieldErrors } from '../../../http/parameters/validation.ts';
import { fieldErrorsAt, invalidAt, isReferring } from '../model/token-request.ts';
import { toTokenDraft, withinLife } from './token-draft.ts';
import { nothingShown, tokenEvent } from '../model/token-event.ts';
import { type InsertRow, toInsertRow } from './token-insert-sql.ts';
import { authorsOfOperator } from './view-authors.ts';
import { CreateToken, toTokenRequest } from '../model/token-schemas.ts';
import { type KeySource, TokenSealer } from './token-sealer.ts';

export interface IntakeSettings {
  readonly tenantId: TenantId;
  readonly hasFingerprints: boolean;
  readonly lifeLimits: readonly LifeLimit[];
  /** True to drop card verification codes instead of rejecting tokens that have one. */
  readonly dropsCvc: boolean;
  /** True if the operator has checked the views in the file, so that they are kept when others write the data. */
  readonly vouchesForViews: boolean;
}

export interface TakenIn {
  readonly row: InsertRow;
  readonly hasLostCvc: boolean;
}

const tokenShape = compileSchema(CreateToken);

/**
 * Prepares tokens for an operator's import. Each is checked, sealed and recorded like a requested one, but without a
 * permission check.
 */
export class TokenIntake {
  readonly #settings: IntakeSettings;
  readonly #sealer: TokenSealer;

  constructor(keyring: KeySource, settings: IntakeSettings) {
    this.#settings = settings;
    this.#sealer = new TokenSealer({ keyring, cvcSealer: noCvcSealer });
  }

  /** Prepares a token. Throws the same error that a request with this body would get. */
  async prepare(body: unknown, source: JsonSource, now: Date): Promise<TakenIn> {
    if (!tokenShape.Check(body)) throw fieldErrorsAt('', findFieldErrors(tokenShape, body, 'body'));
    const request = toTokenRequest(body, source);
    if (isReferring(request))
      throw invalidAt('', 'data', 'is required: an import takes no encrypted data and no token intents');
    if (request.deduplicate === true) {
      throw invalidAt('', 'deduplicate_token', 'is not supported here: an import keeps every id');
    }
    const { tenantId, hasFingerprints, lifeLimits: limits, dropsCvc, vouchesForViews } = this.#settings;
    const draft = withinLife(await toTokenDraft(request, now), { limits, now });
    const hasCvc = draft.cvc !== undefined;
    if (hasCvc && !dropsCvc)
      throw invalidAt('', 'data.cvc', 'must not be imported: it may not be stored for longer than an hour');

    const owner = { tenantId, applicationId: null };
    const viewAuthors = vouchesForViews ? authorsOfOperator(draft) : {};
    const lasting = { ...draft, ...(hasCvc ? { cvc: undefined } : {}), viewAuthors };
    const [token] = await this.#sealer.sealAll(owner, [lasting], { hasFingerprints });
    if (token === undefined) throw new DomainError('internal-error', 'A draft was sealed to nothing.');
    const audit = toAuditRow('system', tokenEvent(token, 'create', nothingShown));
    return { row: toInsertRow({ token, audit, isPublic: false }), hasLostCvc: hasCvc };
  }
}
