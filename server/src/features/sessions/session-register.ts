import { DomainError } from '../../core/errors/domain-error.ts';
import type { Caller } from '../../core/identity/caller.ts';
import type { ApplicationId, ApplicationKeyId } from '../../core/identity/ids.ts';
import { noSingleEntity } from '../../platform/audit/record/audit-event.ts';
import { type AuditLog, recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import { toRightsDetails } from '../../platform/audit/record/change-details.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { ApplicationStore, isManageable, requireManageable } from '../applications/index.ts';
import { listNewestSessions, type SessionPage, type SessionSlice } from './listed-session-store.ts';
import { sessionEvent } from './session-service.ts';
import { SessionStore } from './session-store.ts';

/** Lists and ends the sessions of a tenant for its administrators. */
export class SessionRegister {
  readonly #database: Database;
  readonly #audit: AuditLog;

  constructor(parts: { database: Database; audit: AuditLog }) {
    this.#database = parts.database;
    this.#audit = parts.audit;
  }

  async list(caller: Caller, slice: SessionSlice): Promise<SessionPage> {
    const page = await this.#database.forTenant(caller.tenantId, (tx) =>
      listNewestSessions(tx, caller.tenantId, slice),
    );
    await this.#audit.append(caller, sessionEvent(noSingleEntity, 'read'));
    return page;
  }

  /**
   * Ends a session. It stops working on every server as soon as this commits. A session that is not authorized yet can
   * no longer be authorized.
   */
  async end(caller: Caller, id: ApplicationKeyId): Promise<void> {
    await this.#database.forTenant(caller.tenantId, async (tx) => {
      const ended = await new SessionStore(tx, caller.tenantId).delete(id);
      if (ended === undefined) throw noSuchSession();
      await requireEndable(tx, caller, ended);
      await recordInTransaction(tx, caller.tenantId, caller, {
        ...sessionEvent(id, 'delete'),
        details: toRightsDetails(ended, undefined),
      });
    });
  }
}

export function noSuchSession(): DomainError {
  return new DomainError('not-found', 'There is no such session.');
}

/**
 * Requires that a limited application can manage the session's application or the one that authorized it. Such an
 * application could also end the session by deleting the application that it manages.
 */
async function requireEndable(
  tx: Transaction,
  caller: Caller,
  {
    applicationId,
    authorizedBy,
  }: { readonly applicationId: ApplicationId; readonly authorizedBy: ApplicationId | null },
): Promise<void> {
  if (caller.grantLimit === undefined) return;
  const store = new ApplicationStore(tx, caller.tenantId);
  const creator = await store.find(applicationId);
  if (creator !== undefined && isManageable(caller, creator)) return;
  const authorizer = authorizedBy === null ? creator : await store.find(authorizedBy);
  if (authorizer !== undefined) requireManageable(caller, authorizer);
}
