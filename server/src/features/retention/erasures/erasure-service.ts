import { isGranted, missingPermission } from '../../../core/access/decide-access.ts';
import type { Grants } from '../../../core/access/access-rule.ts';
import { DomainError, invalidField } from '../../../core/errors/domain-error.ts';
import { type Actor, actorIdOf, type Caller } from '../../../core/identity/caller.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import { type AuditLog, recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import { toLineDetails } from '../../../platform/audit/record/change-details.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { lockTenant, requireOpenTenant } from '../../../platform/database/open-tenant.ts';
import type { Keyring } from '../../../platform/keyring/keys/keyring.ts';
import { ApprovalStore, operatorCaller, requestApproval, withApprovals } from '../../approvals/index.ts';
import { ErasedTokenStore, type MatchCounts } from './erased-token-store.ts';
import {
  describeSelection,
  erasedMax,
  type Erasure,
  erasureEvent,
  isOver,
  noSuchErasure,
  openErasuresMax,
  type Selection,
  type ShownErasure,
} from './erasure.ts';
import { type ErasureScope, toErasureScope, withDigests } from './erasure-query.ts';
import { ErasureStore, type KeyScope } from './erasure-store.ts';

/** Counting reads an index for as long as this at most. */
const countTimeoutMs = 20_000;

interface ErasureServiceParts {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly keyring: Keyring;
}

/** The requester of an erasure: a caller, or the operator on the command line. */
export interface Requester {
  readonly tenantId: TenantId;
  readonly actor: Caller | 'system';
  readonly grants: Grants;
}

/** Counts, confirms and shows erasures. A worker runs them. */
export class ErasureService {
  readonly #parts: ErasureServiceParts;

  constructor(parts: ErasureServiceParts) {
    this.#parts = parts;
  }

  /** Counts the tokens of an erasure. Nothing is removed before somebody confirms the number. */
  async create(requester: Requester, selection: Selection): Promise<ShownErasure> {
    const { tenantId, actor } = requester;
    requireLastingKey(actor);
    const scope = toErasureScope(selection, requester.grants);
    const { tokens, held } = await this.#count(tenantId, scope);
    if (tokens + held > erasedMax)
      throw new DomainError(
        'validation-failed',
        `More than ${erasedMax} tokens match. Narrow the selection by container, type or metadata, and erase them in parts.`,
      );
    const id = crypto.randomUUID();
    return this.#parts.database.forTenant(tenantId, async (tx) => {
      const store = new ErasureStore(tx, tenantId);
      await lockTenant(tx, tenantId);
      await requireOpenTenant(tx, tenantId);
      if ((await store.countOpen()) >= openErasuresMax)
        throw new DomainError(
          'validation-failed',
          `A tenant can have at most ${openErasuresMax} erasures that are not over. Confirm or cancel some.`,
        );
      const by = { createdBy: actorIdOf(actor), createdKey: keyOf(actor) };
      await store.insert({ id, selection, isLimited: scope.isLimited, counted: tokens, held, ...by });
      const details = { ...selectionDetails(selection), count: tokens };
      await recordInTransaction(tx, tenantId, actor, erasureEvent(id, 'create', { details }));
      return getErasure(tx, tenantId, id);
    });
  }

  /**
   * Confirms an erasure. If more tokens match now than were confirmed, it is refused, and a worker removes no more. In
   * a tenant that requires approvals, somebody else has to approve it before a worker begins.
   */
  async confirm({ tenantId, actor, grants }: Requester, id: string, confirmed: number): Promise<ShownErasure> {
    const erasure = await this.#find(tenantId, id, scopeOf(actor));
    requireSameRequester(erasure, actor);
    if (confirmed > erasedMax) throw invalidField('confirmed_tokens', `must be at most ${erasedMax}`);
    const { tokens } = await this.#count(tenantId, toErasureScope(erasure.selection, grants));
    if (tokens > confirmed)
      throw invalidField('confirmed_tokens', `must be at least ${tokens}, because so many tokens would be erased`);
    return this.#parts.database.forTenant(tenantId, async (tx) => {
      const store = new ErasureStore(tx, tenantId);
      await lockTenant(tx, tenantId);
      await requireOpenTenant(tx, tenantId);
      const isDemanded = await new ApprovalStore(tx, tenantId).isDemanded();
      if (!(await store.confirm(id, { status: isDemanded ? 'awaiting_approval' : 'queued', confirmed })))
        throw notOpen();
      const details = { ...selectionDetails(erasure.selection), count: confirmed };
      await recordInTransaction(tx, tenantId, actor, erasureEvent(id, 'configure', { details }));
      if (isDemanded) {
        const caller = actor === 'system' ? operatorCaller(tenantId) : actor;
        const basis = erasureBasis({ ...erasure, confirmed });
        await requestApproval(tx, caller, { kind: 'erasure', subjectId: id, change: {}, basis, details });
      }
      return getErasure(tx, tenantId, id);
    });
  }

  /** Stops an erasure before it has begun, or between two batches. What is removed stays removed. */
  async cancel({ tenantId, actor, grants }: Requester, id: string): Promise<ShownErasure> {
    if (!isGranted(grants, 'token:delete')) throw missingPermission('token:delete');
    return this.#parts.database.forTenant(tenantId, async (tx) => {
      const store = new ErasureStore(tx, tenantId);
      const erasure = await store.lock(id, scopeOf(actor));
      if (erasure === undefined) throw noSuchErasure();
      if (isOver(erasure) || erasure.status === 'sealing') throw notOpen();
      await endErasure(store, erasure, 'cancelled');
      await new ApprovalStore(tx, tenantId).withdrawAll(id);
      const details = { found: erasure.removed };
      await recordInTransaction(tx, tenantId, actor, erasureEvent(id, 'remove', { details }));
      return getErasure(tx, tenantId, id);
    });
  }

  async get({ tenantId, actor }: Requester, id: string): Promise<ShownErasure> {
    const scope = scopeOf(actor);
    const shown = await this.#parts.database.forTenant(tenantId, (tx) => getErasure(tx, tenantId, id, scope));
    if (actor !== 'system') await this.#parts.audit.append(actor, erasureEvent(id));
    return shown;
  }

  /** Lists erasures, newest first. An application sees its own; members see all. */
  async list({ tenantId, actor }: Requester, { page, size }: { readonly page: number; readonly size: number }) {
    const scope = scopeOf(actor);
    const listed = await this.#parts.database.forTenant(tenantId, async (tx) => {
      const store = new ErasureStore(tx, tenantId);
      const items = await store.list({ limit: size, offset: (page - 1) * size }, scope);
      return { items: await withApprovals(tx, tenantId, items), totalItems: await store.count(scope) };
    });
    if (actor !== 'system') await this.#parts.audit.append(actor, erasureEvent());
    return listed;
  }

  /** Returns the signed head of the receipt. */
  async findReceipt({ tenantId, actor }: Requester, id: string): Promise<string> {
    const receipt = await this.#parts.database.forTenant(tenantId, async (tx) => {
      const store = new ErasureStore(tx, tenantId);
      const erasure = await store.find(id, scopeOf(actor));
      if (erasure === undefined) throw noSuchErasure();
      const found = await store.findReceipt(id);
      if (found === undefined) throw noReceipt(erasure);
      return found;
    });
    if (actor !== 'system') await this.#parts.audit.append(actor, erasureEvent(id));
    return receipt;
  }

  async #find(tenantId: TenantId, id: string, scope: KeyScope): Promise<Erasure> {
    const found = await this.#parts.database.forTenant(tenantId, (tx) =>
      new ErasureStore(tx, tenantId).find(id, scope),
    );
    if (found === undefined) throw noSuchErasure();
    return found;
  }

  async #count(tenantId: TenantId, { query }: ErasureScope): Promise<MatchCounts> {
    if (query === 'all') throw new Error('An erasure selects something.');
    if (query === 'nothing') return { tokens: 0, held: 0 };
    const keys = await this.#parts.keyring.forTenant(tenantId);
    return this.#parts.database.forTenant(tenantId, (tx) => new ErasedTokenStore(tx, tenantId, keys).count(query), {
      statementTimeoutMs: countTimeoutMs,
    });
  }
}

/** Ends an erasure without a receipt. The values of its metadata are forgotten. */
export async function endErasure(
  store: ErasureStore,
  { id, selection }: Erasure,
  status: 'cancelled' | 'stopped',
  reason: string | null = null,
): Promise<void> {
  await store.end(id, { status, selection: withDigests(selection, id), reason });
}

/** Returns the state that an approval is about. */
export function erasureBasis({ id, selection, isLimited, confirmed }: Erasure): string {
  return JSON.stringify([id, selection, isLimited, confirmed]);
}

export function selectionDetails(selection: Selection) {
  return toLineDetails(describeSelection(selection));
}

export async function getErasure(
  tx: Transaction,
  tenantId: TenantId,
  id: string,
  scope: KeyScope = null,
): Promise<ShownErasure> {
  const erasure = await new ErasureStore(tx, tenantId).find(id, scope);
  const [shown] = await withApprovals(tx, tenantId, erasure === undefined ? [] : [erasure]);
  if (shown === undefined) throw noSuchErasure();
  return shown;
}

/** An application sees its own erasures, because a selection says something about the data of others. */
function scopeOf(actor: Actor): KeyScope {
  return actor === 'system' || 'userId' in actor ? null : actor.applicationId;
}

function keyOf(actor: Caller | 'system'): string | null {
  return actor === 'system' || 'userId' in actor ? null : actor.keyId;
}

/** The rights are looked up again while the erasure runs, so they cannot be those of a session, which ends earlier. */
function requireLastingKey(actor: Caller | 'system'): void {
  if (actor === 'system' || actor.session === undefined) return;
  throw new DomainError('forbidden', 'A session cannot erase tokens. Use a key of an application.');
}

/** The requester saw the number and confirms it, with the same rights. Somebody else counts for themselves. */
function requireSameRequester({ createdBy, createdKey }: Erasure, actor: Caller | 'system'): void {
  if (createdBy === actorIdOf(actor) && (createdKey === null) === (keyOf(actor) === null)) return;
  throw new DomainError('forbidden', 'Somebody else asked for this erasure. Only they can confirm it.');
}

function noReceipt({ reason }: Erasure): DomainError {
  const text = reason === null ? 'has no receipt, because it is not finished' : `was over without a receipt: ${reason}`;
  return new DomainError('validation-failed', `This erasure ${text}.`);
}

function notOpen(): DomainError {
  return new DomainError('validation-failed', 'This erasure was confirmed or cancelled already, or has lapsed.');
}
