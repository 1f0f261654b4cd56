import { type ApplicationId, type TenantId, toId } from '../../core/identity/ids.ts';
import type { ApplicationType } from '../../core/access/permission.ts';
import { isGranted, missingPermission } from '../../core/access/decide-access.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { actorIdOf, type Caller, type KeyCaller } from '../../core/identity/caller.ts';
import type { Page, PageRequest } from '../../http/parameters/pagination.ts';
import {
  type AuditEvent,
  noSingleEntity,
  type Operation,
  successEvent,
} from '../../platform/audit/record/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import { toRightsDetails } from '../../platform/audit/record/change-details.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { requireOpenTenant } from '../../platform/database/open-tenant.ts';
import { type ApprovalRequest, ApprovalStore } from '../approvals/index.ts';
import { findAuthority } from '../members/index.ts';
import type { Application, ApplicationKey, ApplicationSettings, NewApplicationKey } from './application.ts';
import type { ApplicationFilter } from './application-filter.ts';
import { needsApproval, requestChange, toShown, withoutRights, withPendingRights } from './application-change.ts';
import { ApplicationKeyStore } from './application-key-store.ts';
import { ApplicationStore } from './application-store.ts';
import type { ApiKeyMaker } from './api-key-maker.ts';
import { requireValidSettings } from './application-settings.ts';
import { requireGrantable } from './require-grantable.ts';
import { requireManageable, requireWithinLimit } from './require-within-limit.ts';

export interface ApplicationWithKeys {
  readonly application: Application;
  readonly keys: readonly (ApplicationKey | NewApplicationKey)[];
  /** The latest approval requests for the application and its keys. */
  readonly approvals: readonly ApprovalRequest[];
}

/** The stored result of a request that created or changed an application, in case of a retry. */
export interface WrittenApplication {
  readonly id: ApplicationId;
  readonly modifiedAt: string | null;
}

export interface NewApplication extends ApplicationSettings {
  readonly type: ApplicationType;
  readonly createKey: boolean;
}

interface ApplicationServiceParts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly apiKeyMaker: ApiKeyMaker;
}

export class ApplicationService {
  readonly #parts: ApplicationServiceParts;

  constructor(parts: ApplicationServiceParts) {
    this.#parts = parts;
  }

  /**
   * Stores the application, its first key and the audit record of both together. If the application has to be approved,
   * it has no rights until then.
   */
  async create(caller: Caller, wanted: NewApplication): Promise<ApplicationWithKeys> {
    requireValidSettings(wanted.type, wanted);
    // An application created by a limited one has the same limit, unless the request sets a narrower one.
    const inherited = wanted.type === 'management' ? caller.grantLimit : undefined;
    const capped = { ...wanted, grantLimit: wanted.grantLimit ?? inherited ?? null };
    requireWithinLimit(caller, capped);
    const id = toId<ApplicationId>(crypto.randomUUID());
    return this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      const createdBy = actorIdOf(caller);
      const store = new ApplicationStore(tx, caller.tenantId);
      // The tenant may be deleted concurrently by another caller.
      await requireOpenTenant(tx, caller.tenantId);
      const authority = await findAuthority(tx, caller);
      requireGrantable(authority, capped);
      const isPending = await needsApproval(tx, caller, { before: undefined, after: capped });
      const application = await store.insert({
        ...capped,
        ...(isPending ? withoutRights(capped) : {}),
        id,
        createdBy,
        authority,
        awaitsApproval: isPending,
      });
      const keys = wanted.createKey
        ? [await this.#parts.apiKeyMaker.make(tx, application, { createdBy, authority })]
        : [];
      await recordInTransaction(tx, caller.tenantId, caller, {
        ...applicationEvent(id, 'create'),
        details: toRightsDetails(undefined, application),
      });
      if (!isPending) return { application, keys, approvals: [] };
      const request = await requestChange(tx, caller, { application, wanted: capped });
      return { application: toShown(application, request), keys, approvals: [request] };
    });
  }

  async get(caller: Caller, id: ApplicationId): Promise<ApplicationWithKeys> {
    const found = await this.#load(caller.tenantId, id);
    await this.#parts.audit.append(caller, applicationEvent(id, 'read'));
    return found;
  }

  /**
   * Returns the result of an earlier request, without secrets. If the application has been changed since, the caller
   * needs read access.
   */
  async getAgain(caller: Caller, { id, modifiedAt }: WrittenApplication): Promise<ApplicationWithKeys> {
    const found = await this.#load(caller.tenantId, id);
    const isUnchanged = toWrittenApplication(found).modifiedAt === modifiedAt;
    if (!isUnchanged && !isGranted(caller.grants, 'application:read')) throw missingPermission('application:read');
    await this.#parts.audit.append(caller, applicationEvent(id, 'read'));
    return found;
  }

  /** Returns the application that the calling key belongs to. */
  getOwn(caller: KeyCaller): Promise<ApplicationWithKeys> {
    return this.get(caller, caller.applicationId);
  }

  async list(caller: Caller, filter: ApplicationFilter, request: PageRequest): Promise<Page<ApplicationWithKeys>> {
    const page = await this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      const { totalItems, items } = await new ApplicationStore(tx, caller.tenantId).list(filter, request);
      return { totalItems, items: await withKeys(tx, caller.tenantId, items) };
    });
    await this.#parts.audit.append(caller, applicationEvent(noSingleEntity, 'read'));
    return page;
  }

  /**
   * Replaces everything except the type, which never changes. A change that has to be approved is stored as a request
   * and replaces nothing until then. An update that takes effect withdraws a pending request, because the latest update
   * wins.
   */
  async update(caller: Caller, id: ApplicationId, settings: ApplicationSettings): Promise<ApplicationWithKeys> {
    return this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      const store = new ApplicationStore(tx, caller.tenantId);
      const current = await store.lock(id);
      if (current === undefined) throw noSuchApplication();
      requireValidSettings(current.type, settings);
      const { type } = current;
      const wanted = await withPendingRights(tx, current);
      const capped = { ...settings, grantLimit: settings.grantLimit ?? wanted.grantLimit };
      requireManageable(caller, wanted);
      requireWithinLimit(caller, { type, ...capped });
      const authority = await findAuthority(tx, caller);
      requireGrantable(authority, capped);
      if (await needsApproval(tx, caller, { before: current, after: { type, ...capped } })) {
        await requestChange(tx, caller, { application: current, wanted: capped });
        return getWithKeys(tx, caller.tenantId, current);
      }
      await new ApprovalStore(tx, caller.tenantId).withdraw('application', id);
      const application = await store.update(id, { ...capped, modifiedBy: actorIdOf(caller), authority });
      if (application === undefined) throw noSuchApplication();
      await recordInTransaction(tx, caller.tenantId, caller, {
        ...applicationEvent(id, 'update'),
        details: toRightsDetails(current, application),
      });
      return getWithKeys(tx, caller.tenantId, application);
    });
  }

  /** Deletes an application. Its keys stop working on every server as soon as this commits. */
  async delete(caller: Caller, id: ApplicationId): Promise<void> {
    await this.#parts.database.forTenant(caller.tenantId, async (tx) => {
      const store = new ApplicationStore(tx, caller.tenantId);
      const current = await store.lock(id);
      if (current === undefined) throw noSuchApplication();
      requireManageable(caller, await withPendingRights(tx, current));
      await store.delete(id);
      await new ApprovalStore(tx, caller.tenantId).withdrawAll(id);
      await recordInTransaction(tx, caller.tenantId, caller, {
        ...applicationEvent(id, 'delete'),
        details: toRightsDetails(current, undefined),
      });
    });
  }

  async #load(tenantId: TenantId, id: ApplicationId): Promise<ApplicationWithKeys> {
    return this.#parts.database.forTenant(tenantId, async (tx) => {
      const application = await new ApplicationStore(tx, tenantId).find(id);
      if (application === undefined) throw noSuchApplication();
      return getWithKeys(tx, tenantId, application);
    });
  }
}

/** Returns applications as callers see them, with their keys and the approval requests for both. */
async function withKeys(
  tx: Transaction,
  tenantId: TenantId,
  applications: readonly Application[],
): Promise<ApplicationWithKeys[]> {
  const ids = applications.map(({ id }) => id);
  const keys = await new ApplicationKeyStore(tx, tenantId).listOf(ids);
  const approvals = await new ApprovalStore(tx, tenantId).listLatest([...ids, ...keys.map(({ id }) => id)]);
  return applications.map((application) => ({
    application: toShown(application, findApproval(approvals, application.id)),
    keys: keys.filter(({ applicationId }) => applicationId === application.id),
    approvals,
  }));
}

async function getWithKeys(
  tx: Transaction,
  tenantId: TenantId,
  application: Application,
): Promise<ApplicationWithKeys> {
  const [found] = await withKeys(tx, tenantId, [application]);
  if (found === undefined) throw noSuchApplication();
  return found;
}

/** Returns true if a change of the application itself is waiting for approval. */
export function isPending({ application, approvals }: ApplicationWithKeys): boolean {
  return findApproval(approvals, application.id)?.status === 'pending';
}

export function findApproval(approvals: readonly ApprovalRequest[], id: string): ApprovalRequest | undefined {
  return approvals.find(({ subjectId }) => subjectId === id);
}

export function toWrittenApplication({ application }: ApplicationWithKeys): WrittenApplication {
  return { id: application.id, modifiedAt: application.modifiedAt?.toISOString() ?? null };
}

export function applicationEvent(id: string, operation: Operation): AuditEvent {
  return successEvent('application', id, operation);
}

export function noSuchApplication(): DomainError {
  return new DomainError('not-found', 'There is no such application.');
}
