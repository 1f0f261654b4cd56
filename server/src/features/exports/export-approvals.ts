import type { UserCaller } from '../../core/identity/caller.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import { requireOpenTenant } from '../../platform/database/open-tenant.ts';
import type { ExportRecipient } from '../../platform/keyring/export-recipient.ts';
import { type ExportFilter, exportEvent, noSuchExport, type TokenExport } from './token-export.ts';
import { TokenExportStore } from './token-export-store.ts';

const lifetimeSeconds = 24 * 60 * 60;
/** The number of approvals that a production tenant needs. Test tenants need none. */
const productionApprovals = 2;
const listMax = 50;

/**
 * Handles exports from request to approval. Operators request them. Signed-in people approve them, because the command
 * line has no proof of identity.
 */
export class ExportApprovals {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  request(
    tenantId: TenantId,
    wish: { readonly recipient: ExportRecipient; readonly filter: ExportFilter; readonly requestedFrom: string },
  ): Promise<TokenExport> {
    const id = crypto.randomUUID();
    return this.#database.forTenant(tenantId, async (tx) => {
      await requireOpenTenant(tx, tenantId);
      const store = new TokenExportStore(tx, tenantId);
      await store.insert({ id, ...wish }, { lifetimeSeconds, productionApprovals });
      const made = await store.find(id);
      if (made === undefined) throw new DomainError('not-found', 'There is no such tenant.');
      await recordInTransaction(tx, tenantId, 'system', exportEvent(id, 'request'));
      return made;
    });
  }

  async get(tenantId: TenantId, id: string): Promise<TokenExport> {
    const found = await this.#database.forTenant(tenantId, (tx) => new TokenExportStore(tx, tenantId).find(id));
    if (found === undefined) throw noSuchExport();
    return found;
  }

  /** Lists the newest exports, with the number of tokens that they would include now. */
  list(tenantId: TenantId): Promise<(TokenExport & { readonly tokensNow: number })[]> {
    return this.#database.forTenant(tenantId, async (tx) => {
      const store = new TokenExportStore(tx, tenantId);
      const found: (TokenExport & { tokensNow: number })[] = [];
      for (const one of await store.list(listMax)) {
        found.push({ ...one, tokensNow: await store.countTokens(one.filter) });
      }
      return found;
    });
  }

  /**
   * Adds an approval to an open export. Each person can approve once. `provenSince` is the time at which the sign-in
   * method of the person was set up. Without it, an operator who creates a sign-in link for someone could use the link
   * to set up a method and act as two people.
   */
  async approve(caller: UserCaller, id: string, provenSince: Date): Promise<void> {
    const { tenantId, userId } = caller;
    await this.#database.forTenant(tenantId, async (tx) => {
      const store = new TokenExportStore(tx, tenantId);
      await requireOpenTenant(tx, tenantId);
      const approver = { userId, provenSince };
      if (!(await store.approve(id, approver))) throw cannotApprove(await store.find(id), approver);
      await recordInTransaction(tx, tenantId, caller, exportEvent(id, 'approve'));
    });
  }

  /** Refuses an export. The actor is a member, or the operator who cancels it. */
  async refuse(tenantId: TenantId, id: string, actor: UserCaller | 'system'): Promise<void> {
    await this.#database.forTenant(tenantId, async (tx) => {
      const store = new TokenExportStore(tx, tenantId);
      if (!(await store.refuse(id, actor === 'system' ? null : actor.userId))) {
        if ((await store.find(id)) === undefined) throw noSuchExport();
        throw new DomainError('forbidden', 'This export has already ended, or you may not refuse it.');
      }
      await recordInTransaction(tx, tenantId, actor, exportEvent(id, 'refuse'));
    });
  }
}

function cannotApprove(
  found: TokenExport | undefined,
  { userId, provenSince }: { userId: string; provenSince: Date },
): DomainError {
  if (found === undefined) return noSuchExport();
  if (found.approvals.some((approval) => approval.userId === userId)) {
    return new DomainError('forbidden', 'You have already approved this export. Another member must approve it too.');
  }
  if (found.status !== 'waiting' && found.status !== 'approved') {
    return new DomainError('forbidden', 'This export was refused, has already been run, or has expired.');
  }
  if (provenSince > found.requestedAt) {
    return new DomainError(
      'forbidden',
      'Your sign-in method was set up after this export was requested, so you cannot approve it with that method. Sign in with an older method, ask another member to approve, or have the export requested again.',
    );
  }
  return new DomainError(
    'forbidden',
    'Only members who were already owners or admins when this export was requested can approve it.',
  );
}
