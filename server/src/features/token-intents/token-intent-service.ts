import { leastTransform, type Transform } from '../../core/access/access-rule.ts';
import { decideAccess, requireAccess, requireAccessToEach } from '../../core/access/decide-access.ts';
import type { Permission } from '../../core/access/permission.ts';
import { RequestBudget } from '../../core/budget/request-budget.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { actorIdOf, type KeyCaller } from '../../core/identity/caller.ts';
import { Sensitive } from '../../core/identity/sensitive.ts';
import { storedDepthMax } from '../../core/json/json-limits.ts';
import type { JsonValue } from '../../core/json/json-value.ts';
import { parseJsonSteps } from '../../core/json/parse-json.ts';
import { isFingerprintShown } from '../../core/sight/fingerprint-visibility.ts';
import { getTokenType } from '../../core/token-types/token-type-catalog.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { requireOpenTenant } from '../../platform/database/open-tenant.ts';
import { inTurns } from '../../platform/waiting/turns.ts';
import type { TenantSettingsDirectory } from '../tenants/index.ts';
import {
  type IntentSealer,
  intentContainers,
  intentEvent,
  type ReferencedData,
  type ReferringRequest,
  type StoredIntent,
  type TokenIntents,
  TokenIntentStore,
  type TokenRequest,
} from '../tokens/index.ts';
import type { VisibleIntent } from './token-intent-schemas.ts';

interface TokenIntentServiceParts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly sealer: IntentSealer;
  readonly references: ReferencedData;
  readonly intents: TokenIntents;
  readonly settings: TenantSettingsDirectory;
}

/** Keeps values for a day or two. They can be used through the proxy or become tokens, but are never returned. */
export class TokenIntentService {
  readonly #parts: TokenIntentServiceParts;

  constructor(parts: TokenIntentServiceParts) {
    this.#parts = parts;
  }

  async create(caller: KeyCaller, request: TokenRequest | ReferringRequest): Promise<VisibleIntent> {
    const { database, references, sealer, settings } = this.#parts;
    const [whole = missing()] = await references.findAll(caller, [request], 'token-intent:create');
    const { tokenIntentHours, fingerprintTokens } = await settings.get(caller.tenantId);
    const sealed = await sealer.seal(caller, whole, {
      hasFingerprints: fingerprintTokens,
      budget: new RequestBudget(),
      authorize: (type) => {
        requireAccessToEach(caller.grants, 'token-intent:create', { containers: intentContainers(type) });
      },
    });
    const transform = requireAccessToEach(caller.grants, 'token-intent:create', {
      containers: intentContainers(sealed.type),
    });
    const intent = await database.forTenant(caller.tenantId, async (tx) => {
      await requireOpenTenant(tx, caller.tenantId);
      const stored = await new TokenIntentStore(tx, caller.tenantId).insert(
        { ...sealed, createdBy: actorIdOf(caller) },
        { lifeHours: tokenIntentHours },
      );
      await recordInTransaction(tx, caller.tenantId, caller, { ...intentEvent('create', stored), transform });
      return stored;
    });
    // A caller that has sent the data itself learns nothing from its fingerprint.
    const isKnown = whole.from === undefined;
    return this.#show(caller, intent, { transform, isKnown, data: whole.data });
  }

  /** Returns an intent. Absent, expired and foreign intents look alike. */
  get(caller: KeyCaller, id: string): Promise<VisibleIntent> {
    return this.#read(caller, id, 'token-intent:read');
  }

  /** Shows what a retry of a creation returns. */
  showAgain(caller: KeyCaller, id: string): Promise<VisibleIntent> {
    return this.#read(caller, id, 'token-intent:create');
  }

  async #read(caller: KeyCaller, id: string, permission: Permission): Promise<VisibleIntent> {
    const intent = await this.#find(caller, id);
    const transform = requireIntentAccess(caller, permission, intent);
    const text = await this.#parts.intents.open(intent);
    const data = await inTurns(parseJsonSteps(text.reveal(), { depthMax: storedDepthMax }));
    await this.#parts.audit.append(caller, { ...intentEvent('read', intent), transform });
    return this.#show(caller, intent, { transform, isKnown: false, data: new Sensitive(data) });
  }

  async delete(caller: KeyCaller, id: string): Promise<void> {
    requireIntentAccess(caller, 'token-intent:delete', await this.#find(caller, id));
    await this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      const gone = (await new TokenIntentStore(tx, caller.tenantId).take([id])).get(id);
      if (gone === undefined) throw noSuchTokenIntent();
      await recordInTransaction(tx, caller.tenantId, caller, intentEvent('delete', gone));
    });
  }

  async #find({ tenantId }: KeyCaller, id: string): Promise<StoredIntent> {
    const found = (await this.#parts.intents.findAll(tenantId, [id])).get(id);
    if (found === undefined) throw noSuchTokenIntent();
    return found;
  }

  async #show(caller: KeyCaller, intent: StoredIntent, shown: ShownIntent): Promise<VisibleIntent> {
    const { transform, isKnown, data } = shown;
    const { fingerprintVisibility } = await this.#parts.settings.get(caller.tenantId);
    const comparing = isKnown ? transform : leastTransform(transform, findReading(caller, intent));
    const isFingerprinted = isFingerprintShown(caller, fingerprintVisibility, comparing);
    return {
      intent,
      fingerprint: isFingerprinted ? (intent.fingerprint ?? undefined) : undefined,
      derived: transform === 'redact' ? undefined : getTokenType(intent).derive?.(data),
    };
  }
}

interface ShownIntent {
  readonly transform: Transform;
  /** True if the caller knows the data. */
  readonly isKnown: boolean;
  readonly data: Sensitive<JsonValue>;
}

/**
 * Returns how the caller would see a token with this data. Its fingerprint would tell which of a thousand guesses
 * completes a masked number, so a caller that may not read such a token does not see that of an intent either.
 */
function findReading(caller: KeyCaller, { type }: StoredIntent): Transform {
  const decision = decideAccess(caller.grants, 'token:read', { containers: intentContainers(type) });
  return decision.isAllowed ? decision.transform : 'redact';
}

export function noSuchTokenIntent(): DomainError {
  return new DomainError('not-found', 'There is no such token intent, or it has expired.');
}

function requireIntentAccess(caller: KeyCaller, permission: Permission, { id, type }: StoredIntent): Transform {
  return requireAccess(caller.grants, permission, { id, containers: intentContainers(type) });
}

function missing(): never {
  throw new Error('A batch returned fewer results than it was given items.');
}
