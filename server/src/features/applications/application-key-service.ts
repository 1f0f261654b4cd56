import { DomainError } from '../../core/errors/domain-error.ts';
import { actorIdOf, type Caller } from '../../core/identity/caller.ts';
import type { ApplicationId, ApplicationKeyId } from '../../core/identity/ids.ts';
import { toCanonicalRights } from '../../core/access/rights-difference.ts';
import type { AuditEvent } from '../../platform/audit/audit-event.ts';
import { toChangeDetails } from '../../platform/audit/change-details.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Application, ApplicationKey, NewApplicationKey } from './application.ts';
import type { ApplicationFilter } from './application-filter.ts';
import { ApplicationKeyStore } from './application-key-store.ts';
import { applicationEvent, noSuchApplication } from './application-service.ts';
import { ApplicationStore } from './application-store.ts';
import type { ApiKeyMaker } from './api-key-maker.ts';
import { requireManageable } from './require-within-limit.ts';

/** Two keys let a service rotate without a gap; more would only be forgotten. */
export const keysMax = 10;

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

  async create(caller: Caller, applicationId: ApplicationId): Promise<NewApplicationKey> {
    return this.#database.forTenant(caller.tenantId, async (tx) => {
      // Held until the commit: of two concurrent requests, the second counts the key of the first.
      const application = await new ApplicationStore(tx, caller.tenantId).lock(applicationId);
      if (application === undefined) throw noSuchApplication();
      requireManageable(caller, application);
      const store = new ApplicationKeyStore(tx, caller.tenantId);
      if ((await store.countOf(applicationId)) >= keysMax) {
        throw new DomainError(
          'validation-failed',
          `An application can have at most ${keysMax} keys. Delete one that is no longer used.`,
        );
      }
      const key = await this.#apiKeyMaker.make(tx, application, actorIdOf(caller));
      await recordInTransaction(tx, caller.tenantId, caller, keyEvent(application, `key added: ${key.id}`));
      return key;
    });
  }

  /** An application has a handful of keys, so the filter is applied to all of them here. */
  async list(caller: Caller, applicationId: ApplicationId, filter: ApplicationFilter): Promise<ApplicationKey[]> {
    const keys = await this.#database.forTenant(caller.tenantId, async (tx) => {
      const application = await new ApplicationStore(tx, caller.tenantId).find(applicationId);
      if (application === undefined) throw noSuchApplication();
      if (filter.types?.includes(application.type) === false) return [];
      const all = await new ApplicationKeyStore(tx, caller.tenantId).listOf([applicationId]);
      const wanted = filter.ids?.map((id) => id.toLowerCase());
      return all.filter(({ id }) => wanted?.includes(id) !== false);
    });
    await this.#audit.append(caller, applicationEvent(applicationId, 'read'));
    return keys;
  }

  async get(caller: Caller, applicationId: ApplicationId, id: ApplicationKeyId): Promise<ApplicationKey> {
    const key = await this.#database.forTenant(caller.tenantId, (tx) =>
      new ApplicationKeyStore(tx, caller.tenantId).find(applicationId, id),
    );
    if (key === undefined) throw noSuchKey();
    await this.#audit.append(caller, applicationEvent(applicationId, 'read'));
    return key;
  }

  /** The key stops working on every server as soon as this commits. */
  async revoke(caller: Caller, applicationId: ApplicationId, id: ApplicationKeyId): Promise<void> {
    await this.#database.forTenant(caller.tenantId, async (tx) => {
      const application = await new ApplicationStore(tx, caller.tenantId).find(applicationId);
      if (application === undefined) throw noSuchKey();
      requireManageable(caller, application);
      if (!(await new ApplicationKeyStore(tx, caller.tenantId).delete(applicationId, id))) throw noSuchKey();
      await recordInTransaction(tx, caller.tenantId, caller, keyEvent(application, `key removed: ${id}`));
    });
  }
}

/** A key gives somebody the rights of the application, so the record says which those are. */
function keyEvent(application: Application, change: string): AuditEvent {
  return {
    ...applicationEvent(application.id, 'update'),
    details: toChangeDetails([change], toCanonicalRights(application)),
  };
}

export function noSuchKey(): DomainError {
  return new DomainError('not-found', 'There is no such key.');
}
