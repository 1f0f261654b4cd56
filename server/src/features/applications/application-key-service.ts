import { DomainError } from '../../core/errors/domain-error.ts';
import { actorIdOf, type Caller } from '../../core/identity/caller.ts';
import type { ApplicationId, ApplicationKeyId } from '../../core/identity/ids.ts';
import { toCanonicalRights } from '../../core/rights-change/rights-difference.ts';
import type { AuditEvent } from '../../platform/audit/record/audit-event.ts';
import { toChangeDetails } from '../../platform/audit/record/change-details.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { widensPlaintext } from '../../core/rights-change/widens-plaintext.ts';
import { type ApprovalRequest, ApprovalStore, requestApproval } from '../approvals/index.ts';
import { type Authority, findAuthority } from '../members/index.ts';
import type { Application, ApplicationKey, NewApplicationKey } from './application.ts';
import type { ApplicationFilter } from './application-filter.ts';
import { ApplicationKeyStore } from './application-key-store.ts';
import { applicationEvent, noSuchApplication } from './application-service.ts';
import { ApplicationStore } from './application-store.ts';
import type { ApiKeyMaker } from './api-key-maker.ts';
import { requireGrantable } from './require-grantable.ts';
import { isOwn, requireManageable } from './require-within-limit.ts';

/**
 * The maximum number of keys per application. Two are enough to rotate without downtime, and unused keys tend to be
 * forgotten.
 */
export const keysMax = 10;

/** A key, with the last approval request for it, if any. */
export interface ShownKey<Key extends ApplicationKey = ApplicationKey> {
  readonly key: Key;
  readonly approval: ApprovalRequest | undefined;
}

interface ApplicationKeyServiceParts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly apiKeyMaker: ApiKeyMaker;
}

/** Manages the keys of an application. A key is never shown again; it can only be replaced. */
export class ApplicationKeyService {
  readonly #parts: ApplicationKeyServiceParts;

  constructor(parts: ApplicationKeyServiceParts) {
    this.#parts = parts;
  }

  /**
   * Creates a key. If the application can reach plaintext, or is about to, the key is rejected until it is approved.
   */
  async create(caller: Caller, applicationId: ApplicationId): Promise<ShownKey<NewApplicationKey>> {
    return this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      // The lock is held until the commit: of two concurrent requests, the second one counts the key of the first.
      const application = await new ApplicationStore(tx, caller.tenantId).lock(applicationId);
      if (application === undefined) throw noSuchApplication();
      requireManageable(caller, application);
      // The rights of the application are not known yet, so it is unclear what another key would give access to.
      if (application.awaitsApproval) {
        throw new DomainError(
          'awaiting-approval',
          'The application awaits approval. Create another key once it is approved.',
        );
      }
      const authority = await findAuthority(tx, caller);
      // Another key does not give the calling application anything new.
      if (!isOwn(caller, application)) requireGrantable(authority, application);
      const store = new ApplicationKeyStore(tx, caller.tenantId);
      if ((await store.countOf(applicationId)) >= keysMax) {
        throw new DomainError(
          'validation-failed',
          `An application can have at most ${keysMax} keys. Delete one that is no longer used.`,
        );
      }
      if (await needsApproval(tx, application)) return this.#createPending(tx, caller, { application, authority });
      const key = await this.#parts.apiKeyMaker.make(tx, application, { createdBy: actorIdOf(caller), authority });
      await recordInTransaction(tx, caller.tenantId, caller, keyEvent(application, `key added: ${key.id}`));
      return { key, approval: undefined };
    });
  }

  async #createPending(
    tx: Transaction,
    caller: Caller,
    { application, authority }: { application: Application; authority: Authority },
  ): Promise<ShownKey<NewApplicationKey>> {
    const key = await this.#parts.apiKeyMaker.makePending(tx, application, { createdBy: actorIdOf(caller), authority });
    const basis = toCanonicalRights(application);
    const approval = await requestApproval(tx, caller, {
      kind: 'key',
      subjectId: key.id,
      applicationId: application.id,
      change: {},
      basis,
      details: toChangeDetails([`key added: ${key.id}`], basis),
    });
    return { key, approval };
  }

  /** Lists keys. An application has only a handful, so all of them are loaded and filtered here. */
  async list(caller: Caller, applicationId: ApplicationId, filter: ApplicationFilter): Promise<ShownKey[]> {
    const keys = await this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      const application = await new ApplicationStore(tx, caller.tenantId).find(applicationId);
      if (application === undefined) throw noSuchApplication();
      if (filter.types?.includes(application.type) === false) return [];
      const all = await new ApplicationKeyStore(tx, caller.tenantId).listOf([applicationId]);
      const wanted = filter.ids?.map((id) => id.toLowerCase());
      const chosen = all.filter(({ id }) => wanted?.includes(id) !== false);
      return withApprovals(tx, caller, chosen);
    });
    await this.#parts.audit.append(caller, applicationEvent(applicationId, 'read'));
    return keys;
  }

  async get(caller: Caller, applicationId: ApplicationId, id: ApplicationKeyId): Promise<ShownKey> {
    const [found] = await this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      const key = await new ApplicationKeyStore(tx, caller.tenantId).find(applicationId, id);
      return key === undefined ? [] : withApprovals(tx, caller, [key]);
    });
    if (found === undefined) throw noSuchKey();
    await this.#parts.audit.append(caller, applicationEvent(applicationId, 'read'));
    return found;
  }

  /** Revokes a key. It stops working on every server as soon as this commits. */
  async revoke(caller: Caller, applicationId: ApplicationId, id: ApplicationKeyId): Promise<void> {
    await this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      const application = await new ApplicationStore(tx, caller.tenantId).find(applicationId);
      if (application === undefined) throw noSuchKey();
      requireManageable(caller, application);
      if (!(await new ApplicationKeyStore(tx, caller.tenantId).delete(applicationId, id))) throw noSuchKey();
      await new ApprovalStore(tx, caller.tenantId).withdraw('key', id);
      await recordInTransaction(tx, caller.tenantId, caller, keyEvent(application, `key removed: ${id}`));
    });
  }
}

/**
 * Returns true if a new key has to be approved. A key created while more rights are pending would get those rights
 * without their approvers knowing about it.
 */
async function needsApproval(tx: Transaction, application: Application): Promise<boolean> {
  const store = new ApprovalStore(tx, application.tenantId);
  if (!(await store.isDemanded())) return false;
  return widensPlaintext(undefined, application) || (await store.hasPending('application', application.id));
}

async function withApprovals(
  tx: Transaction,
  { tenantId }: Caller,
  keys: readonly ApplicationKey[],
): Promise<ShownKey[]> {
  const approvals = await new ApprovalStore(tx, tenantId).listLatest(keys.map(({ id }) => id));
  return keys.map((key) => ({ key, approval: approvals.find(({ subjectId }) => subjectId === key.id) }));
}

/** Returns the audit event for a key. A key gives its holder the rights of the application, so the event lists them. */
export function keyEvent(application: Application, change: string): AuditEvent {
  return {
    ...applicationEvent(application.id, 'update'),
    details: toChangeDetails([change], toCanonicalRights(application)),
  };
}

export function noSuchKey(): DomainError {
  return new DomainError('not-found', 'There is no such key.');
}
