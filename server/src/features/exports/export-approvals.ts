import type { UserCaller } from '../../core/identity/caller.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ExportRecipient } from '../../platform/keyring/export-recipient.ts';
import { type ExportFilter, exportEvent, noSuchExport, type TokenExport } from './token-export.ts';
import { TokenExportStore } from './token-export-store.ts';

const lifetimeSeconds = 24 * 60 * 60;
/** In production tenants; test tenants need none. */
const productionApprovals = 2;
const listMax = 50;

/**
 * Exports from wish to permission. Asking is for operators; approving is for people who are signed in, because at the
 * command line nobody can tell who is there.
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

  /** The newest, with how many tokens would leave now. */
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
   * One approval a person, for as long as the export is open. `provenSince` is when that was set up with which the person has
   * signed in: whoever makes a link for somebody could set something up with it, and be two people.
   */
  async approve(caller: UserCaller, id: string, provenSince: Date): Promise<void> {
    const { tenantId, userId } = caller;
    await this.#database.forTenant(tenantId, async (tx) => {
      const store = new TokenExportStore(tx, tenantId);
      const approver = { userId, provenSince };
      if (!(await store.approve(id, approver))) throw cannotApprove(await store.find(id), approver);
      await recordInTransaction(tx, tenantId, caller, exportEvent(id, 'approve'));
    });
  }

  /** By a person, or by the operator who withdraws it. */
  async refuse(tenantId: TenantId, id: string, actor: UserCaller | 'system'): Promise<void> {
    await this.#database.forTenant(tenantId, async (tx) => {
      const store = new TokenExportStore(tx, tenantId);
      if (!(await store.refuse(id, actor === 'system' ? null : actor.userId))) {
        if ((await store.find(id)) === undefined) throw noSuchExport();
        throw new DomainError('forbidden', 'This export is over already, or not yours to refuse.');
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
    return new DomainError('forbidden', 'You have approved this export already. Somebody else has to.');
  }
  if (found.status !== 'waiting' && found.status !== 'approved') {
    return new DomainError('forbidden', 'This export is over: it was refused, run, or its time has passed.');
  }
  if (provenSince > found.requestedAt) {
    return new DomainError(
      'forbidden',
      'The way you have signed in was set up after this export was asked for, so it does not count. Sign in with one that is older, let somebody else approve, or have the export asked for again.',
    );
  }
  return new DomainError(
    'forbidden',
    'Only those who were owners or admins already when this export was asked for can approve it.',
  );
}
