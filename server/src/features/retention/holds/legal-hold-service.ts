import { DomainError, invalidField } from '../../../core/errors/domain-error.ts';
import { actorIdOf, type Caller } from '../../../core/identity/caller.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { type AuditLog, recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import { toLineDetails } from '../../../platform/audit/record/change-details.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { lockTenant, requireOpenTenant } from '../../../platform/database/open-tenant.ts';
import type { Keyring } from '../../../platform/keyring/keys/keyring.ts';
import { ApprovalStore, requestApproval, withApprovals } from '../../approvals/index.ts';
import { termsOf } from '../../tokens/index.ts';
import {
  describeHold,
  holdEvent,
  type HoldScope,
  holdsMax,
  isInForce,
  noSuchHold,
  type ShownHold,
} from './legal-hold.ts';
import { LegalHoldStore } from './legal-hold-store.ts';

interface LegalHoldServiceParts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly keyring: Keyring;
}

/** Sets and lifts legal holds. A hold never changes: its scope and its end stay as they were when it was set. */
export class LegalHoldService {
  readonly #parts: LegalHoldServiceParts;

  constructor(parts: LegalHoldServiceParts) {
    this.#parts = parts;
  }

  async create(
    caller: Caller,
    scope: HoldScope,
    { reason, endsAt }: { readonly reason: string; readonly endsAt: Date | null },
  ): Promise<ShownHold> {
    const { tenantId } = caller;
    if (endsAt !== null && endsAt <= new Date()) throw invalidField('ends_at', 'must be in the future');
    const keys = await this.#parts.keyring.forTenant(tenantId);
    const { metadata } = scope;
    const terms = metadata === null ? null : (termsOf({ kind: 'metadata', ...metadata }, keys) ?? null);
    const id = crypto.randomUUID();
    return this.#parts.database.forTenant(tenantId, async (tx) => {
      const store = new LegalHoldStore(tx, tenantId);
      await lockTenant(tx, tenantId);
      await requireOpenTenant(tx, tenantId);
      if ((await store.countInForce()) >= holdsMax)
        throw new DomainError('validation-failed', `A tenant can have at most ${holdsMax} legal holds in force.`);
      await store.insert({ id, reason, endsAt, createdBy: actorIdOf(caller), scope, terms });
      await recordInTransaction(tx, tenantId, caller, holdEvent(id, 'create', holdDetails(scope)));
      return getHold(tx, tenantId, id);
    });
  }

  async list(caller: Caller): Promise<ShownHold[]> {
    const { tenantId } = caller;
    const holds = await this.#parts.database.forTenant(tenantId, async (tx) =>
      withApprovals(tx, tenantId, await new LegalHoldStore(tx, tenantId).list()),
    );
    await this.#parts.audit.append(caller, holdEvent());
    return holds;
  }

  async get(caller: Caller, id: string): Promise<ShownHold> {
    const hold = await this.#parts.database.forTenant(caller.tenantId, (tx) => getHold(tx, caller.tenantId, id));
    await this.#parts.audit.append(caller, holdEvent(id));
    return hold;
  }

  /** Lifts a hold before its end. In a tenant that requires approvals, somebody else has to approve that. */
  async lift(caller: Caller, id: string): Promise<{ readonly hold: ShownHold; readonly isPending: boolean }> {
    const { tenantId } = caller;
    return this.#parts.database.forTenant(tenantId, async (tx) => {
      const store = new LegalHoldStore(tx, tenantId);
      await lockTenant(tx, tenantId);
      await requireOpenTenant(tx, tenantId);
      const hold = await store.find(id);
      if (hold === undefined) throw noSuchHold();
      if (!isInForce(hold)) throw new DomainError('validation-failed', 'This legal hold is over already.');
      const details = holdDetails(hold);
      const isPending = await new ApprovalStore(tx, tenantId).isDemanded();
      if (isPending) {
        const basis = holdBasis(hold);
        await requestApproval(tx, caller, { kind: 'legal_hold', subjectId: id, change: {}, basis, details });
      } else {
        await store.lift(id, actorIdOf(caller));
        await new ApprovalStore(tx, tenantId).withdrawAll(id);
        await recordInTransaction(tx, tenantId, caller, holdEvent(id, 'remove', details));
      }
      return { hold: await getHold(tx, tenantId, id), isPending };
    });
  }
}

/** Returns the state that an approval to lift the hold is about. */
export function holdBasis({ id, reason }: { readonly id: string; readonly reason: string }): string {
  return JSON.stringify([id, reason]);
}

/** Returns the details of a record about a hold. The digest covers the lines only, because values can be guessed. */
export function holdDetails(scope: HoldScope) {
  return toLineDetails(describeHold(scope));
}

async function getHold(tx: Transaction, tenantId: TenantId, id: string): Promise<ShownHold> {
  const hold = await new LegalHoldStore(tx, tenantId).find(id);
  const [shown] = await withApprovals(tx, tenantId, hold === undefined ? [] : [hold]);
  if (shown === undefined) throw noSuchHold();
  return shown;
}
