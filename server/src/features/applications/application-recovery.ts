import { permissionsOf } from '../../core/access/permission.ts';
import { toCanonicalRights } from '../../core/rights-change/rights-difference.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { type ApplicationId, type ApplicationKeyId, type TenantId, toId } from '../../core/identity/ids.ts';
import { type AuditEvent, noSingleEntity } from '../../platform/audit/record/audit-event.ts';
import { recordAllInTransaction, recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import { toChangeDetails, toRightsDetails } from '../../platform/audit/record/change-details.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { requireOpenTenant } from '../../platform/database/open-tenant.ts';
import { operatorAuthority } from '../members/index.ts';
import type { ApiKeyMaker } from './api-key-maker.ts';
import type { Application } from './application.ts';
import { keysMax } from './application-key-service.ts';
import { ApplicationKeyStore, type KeyUse } from './application-key-store.ts';
import { applicationEvent, noSuchApplication } from './application-service.ts';
import { ApplicationStore } from './application-store.ts';

const operator = { createdBy: null, authority: operatorAuthority };
/** This is far more than any tenant has. */
const listedMax = 10_000;

export interface UsedApplication {
  readonly application: Application;
  readonly keys: KeyUse;
}

/** A new key. Its text is not shown anywhere else. */
export interface IssuedKey {
  readonly applicationId: ApplicationId;
  readonly keyId: ApplicationKeyId;
  readonly text: string;
  readonly revoked: readonly ApplicationKeyId[];
}

/**
 * Restores access to a tenant whose management keys are lost: an operator issues a new key on the command line. This
 * works only for management applications, which can create keys for all others. Each step is recorded in the audit log
 * of the tenant as an action of the system.
 */
export class ApplicationRecovery {
  readonly #database: Database;
  readonly #apiKeyMaker: ApiKeyMaker;

  constructor(parts: { database: Database; apiKeyMaker: ApiKeyMaker }) {
    this.#database = parts.database;
    this.#apiKeyMaker = parts.apiKeyMaker;
  }

  /** Lists all applications, newest first, with the number of their keys and the last use of any of them. */
  async list(tenantId: TenantId): Promise<UsedApplication[]> {
    return this.#database.forTenant(tenantId, async (tx) => {
      const store = await holdTenant(tx, tenantId);
      const { items } = await store.list({ ids: undefined, types: undefined }, { page: 1, size: listedMax });
      const uses = new Map(
        (await new ApplicationKeyStore(tx, tenantId).listUses()).map((use) => [use.applicationId, use]),
      );
      await recordInTransaction(tx, tenantId, 'system', applicationEvent(noSingleEntity, 'read'));
      return items.map((application) => ({
        application,
        keys: uses.get(application.id) ?? { count: 0, lastUsedAt: null },
      }));
    });
  }

  /** Creates a management application with every management permission, and a key for it. */
  async create(tenantId: TenantId, name: string): Promise<IssuedKey> {
    const id = toId<ApplicationId>(crypto.randomUUID());
    return this.#database.forTenant(tenantId, async (tx) => {
      const store = await holdTenant(tx, tenantId);
      const application = await store.insert({
        id,
        name,
        type: 'management',
        permissions: permissionsOf('management'),
        rules: [],
        expiresAt: null,
        allowedDestinations: null,
        allowedOrigins: null,
        grantLimit: null,
        createdBy: null,
        authority: operatorAuthority,
      });
      const key = await this.#apiKeyMaker.make(tx, application, operator);
      await recordAllInTransaction(tx, tenantId, 'system', [
        { ...applicationEvent(id, 'create'), details: toRightsDetails(undefined, application) },
        issueEvent(application, key.id, []),
      ]);
      return { applicationId: id, keyId: key.id, text: key.text, revoked: [] };
    });
  }

  /**
   * Issues another key for a management application. If other keys are revoked, they stop working as soon as this
   * commits.
   */
  async issueKey(
    tenantId: TenantId,
    applicationId: ApplicationId,
    { revokesOthers }: { readonly revokesOthers: boolean },
  ): Promise<IssuedKey> {
    return this.#database.forTenant(tenantId, async (tx) => {
      // The lock is held until the commit: if two keys are issued concurrently, the second call sees the key of the
      // first.
      const application = await (await holdTenant(tx, tenantId)).lock(applicationId);
      if (application === undefined) throw noSuchApplication();
      requireRecoverable(application);
      const keys = new ApplicationKeyStore(tx, tenantId);
      if (!revokesOthers && (await keys.countOf(applicationId)) >= keysMax) {
        throw new DomainError('validation-failed', `The application has ${keysMax} keys, the most that it can have.`);
      }
      const key = await this.#apiKeyMaker.make(tx, application, operator);
      const revoked = revokesOthers ? await keys.deleteOthers(applicationId, key.id) : [];
      await recordInTransaction(tx, tenantId, 'system', issueEvent(application, key.id, revoked));
      return { applicationId, keyId: key.id, text: key.text, revoked };
    });
  }
}

function requireRecoverable({ type, expiresAt }: Application): void {
  if (type !== 'management') {
    throw new DomainError(
      'validation-failed',
      'This is not a management application. With the key of one, create keys for others: POST /applications/{id}/keys.',
    );
  }
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw new DomainError(
      'validation-failed',
      'The application has expired, and its keys with it. Create another one.',
    );
  }
}

/** Throws if the tenant is missing or deleted. Prevents its deletion before the transaction ends. */
async function holdTenant(tx: Transaction, tenantId: TenantId): Promise<ApplicationStore> {
  await requireOpenTenant(tx, tenantId);
  return new ApplicationStore(tx, tenantId);
}

/**
 * Returns the audit event for a new key. A key gives its holder the rights of the application, so the event lists them.
 */
function issueEvent(application: Application, keyId: string, revoked: readonly string[]): AuditEvent {
  const changes = [`key added: ${keyId}`, ...revoked.map((id) => `key removed: ${id}`)];
  return {
    ...applicationEvent(application.id, 'issue_key'),
    details: toChangeDetails(changes, toCanonicalRights(application)),
  };
}
