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

/** Two keys let a service rotate without a gap; more would only be forgotten. */
export const keysMax = 10;

/** A key, with the last request for its approval if there was one. */
export interface ShownKey<Key extends ApplicationKey = ApplicationKey> {
  readonly key: Key;
  readonly approval: ApprovalRequest | undefined;
}

/** Keys of an application. A key is never shown again; it is replaced. */
export class ApplicationKeyService {
  readonly #database: Database;
  readonly #audit: AuditLog;
  readonly #apiKeyMaker: ApiKeyMaker;

  constructor(parts: { database: Database; audit: AuditLog; apiKeyMaker: ApiKeyMaker }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
    this.#apiKeyMaker = parts.apiKeyMaker;
  }

  /** A key of an application that could reach plaintext, or is about to, is refused until it is approved. */
  async create(caller: Caller, applicationId: ApplicationId): Promise<ShownKey<NewApplicationKey>> {
    return this.#database.forTenant(caller.tenantId, async (tx) => {
      // Held until the commit: of two concurrent requests, the second counts the key of the first.
      const application = await new ApplicationStore(tx, caller.tenantId).lock(applicationId);
      if (application === undefined) throw noSuchApplication();
      requireManageable(caller, application);
      // Its rights are not known yet, so nobody can tell what another key of it would be worth.
      if (application.awaitsApproval) {
        throw new DomainError(
          'awaiting-approval',
          'The application awaits approval. Create another key once it is approved.',
        );
      }
      const authority = await findAuthority(tx, caller);
      // Another key of the calling application gives it nothing new.
      if (!isOwn(caller, application)) requireGrantable(authority, application);
      const store = new ApplicationKeyStore(tx, caller.tenantId);
      if ((await store.countOf(applicationId)) >= keysMax) {
        throw new DomainError(
          'validation-failed',
          `An application can have at most ${keysMax} keys. Delete one that is no longer used.`,
        );
      }
      if (await needsApproval(tx, application)) return this.#createPending(tx, caller, { application, authority });
      const key = await this.#apiKeyMaker.make(tx, application, { createdBy: actorIdOf(caller), authority });
      await recordInTransaction(tx, caller.tenantId, caller, keyEvent(application, `key added: ${key.id}`));
      return { key, approval: undefined };
    });
  }

  async #createPending(
    tx: Transaction,
    caller: Caller,
    { application, authority }: { application: Application; authority: Authority },
  ): Promise<ShownKey<NewApplicationKey>> {
    const key = await this.#apiKeyMaker.makePending(tx, application, { createdBy: actorIdOf(caller), authority });
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

  /** An application has a handful of keys, so the filter is applied to all of them here. */
  async list(caller: Caller, applicationId: ApplicationId, filter: ApplicationFilter): Promise<ShownKey[]> {
    const keys = await this.#database.forTenant(caller.tenantId, async (tx) => {
      const application = await new ApplicationStore(tx, caller.tenantId).find(applicationId);
      if (application === undefined) throw noSuchApplication();
      if (filter.types?.includes(application.type) === false) return [];
      const all = await new ApplicationKeyStore(tx, caller.tenantId).listOf([applicationId]);
      const wanted = filter.ids?.map((id) => id.toLowerCase());
      const chosen = all.filter(({ id }) => wanted?.includes(id) !== false);
      return withApprovals(tx, caller, chosen);
    });
    await this.#audit.append(caller, applicationEvent(applicationId, 'read'));
    return keys;
  }

  async get(caller: Caller, applicationId: ApplicationId, id: ApplicationKeyId): Promise<ShownKey> {
    const [found] = await this.#database.forTenant(caller.tenantId, async (tx) => {
      const key = await new ApplicationKeyStore(tx, caller.tenantId).find(applicationId, id);
      return key === undefined ? [] : withApprovals(tx, caller, [key]);
    });
    if (found === undefined) throw noSuchKey();
    await this.#audit.append(caller, applicationEvent(applicationId, 'read'));
    return found;
  }

  /** The key stops working on every server as soon as this commits. */
  async revoke(caller: Caller, applicationId: ApplicationId, id: ApplicationKeyId): Promise<void> {
    await this.#database.forTenant(caller.tenantId, async (tx) => {
      const application = await new ApplicationStore(tx, caller.tenantId).find(applicationId);
      if (application === undefined) throw noSuchKey();
      requireManageable(caller, application);
      if (!(await new ApplicationKeyStore(tx, caller.tenantId).delete(applicationId, id))) throw noSuchKey();
      await new ApprovalStore(tx, caller.tenantId).withdraw('key', id);
      await recordInTransaction(tx, caller.tenantId, caller, keyEvent(application, `key removed: ${id}`));
    });
  }
}

/** A key that is made while more rights are pending would get them unseen by whoever approves those. */
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

/** A key gives somebody the rights of the application, so the record says which those are. */
export function keyEvent(application: Application, change: string): AuditEvent {
  return {
    ...applicationEvent(application.id, 'update'),
    details: toChangeDetails([change], toCanonicalRights(application)),
  };
}

export function noSuchKey(): DomainError {
  return new DomainError('not-found', 'There is no such key.');
}
