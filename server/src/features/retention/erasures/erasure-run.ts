import { isGranted } from '../../../core/access/decide-access.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { SearchQuery } from '../../../core/search/search-query.ts';
import { counted } from '../../../core/text/counted.ts';
import { recordInTransaction } from '../../../platform/audit/record/audit-log.ts';
import type { LogReader } from '../../../platform/audit/verify/log-reader.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import type { Keyring } from '../../../platform/keyring/keys/keyring.ts';
import type { AuditSigner } from '../../../platform/keyring/sealing/audit-signer.ts';
import { ErasedTokenStore } from './erased-token-store.ts';
import { type Erasure, erasureEvent, mostRemoved } from './erasure.ts';
import { toErasureScope, withDigests } from './erasure-query.ts';
import { endErasure } from './erasure-service.ts';
import { ErasureStore } from './erasure-store.ts';
import { writeOrGiveUp } from './missing-receipt.ts';

/** Tokens that are removed and recorded in one transaction. */
const batchSize = 500;

const lostRights = 'whoever asked for it has lost the right to delete these tokens';

/** Finds the requester of an erasure with their current rights, or undefined if they have lost them. */
export type RightsFinder = (
  tx: Transaction,
  tenantId: TenantId,
  requester: Pick<Erasure, 'createdBy' | 'createdKey'>,
) => Promise<Pick<Caller, 'grants'> | undefined>;

export interface ErasureRunParts {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly findRights: RightsFinder;
  /** Reads the sealed log of every tenant. */
  readonly reader: LogReader;
  readonly signer: AuditSigner;
  /** How many days backups are kept. Undefined if the operator does not say. */
  readonly backupDays: number | undefined;
}

/** What a step of an erasure has done. `waiting` means that somebody else has to go on first. */
export type StepResult = 'more' | 'waiting' | 'over';

/**
 * Runs one erasure, a batch at a time. Each batch is one transaction with the removals, their records and the progress,
 * under the lock of the erasure, so that workers take turns, and a crash at any point leaves a state from which the next
 * step goes on.
 */
export class ErasureRun {
  readonly #parts: ErasureRunParts;
  readonly #tenantId: TenantId;
  readonly #id: string;

  constructor(parts: ErasureRunParts, tenantId: TenantId, id: string) {
    this.#parts = parts;
    this.#tenantId = tenantId;
    this.#id = id;
  }

  async step(): Promise<StepResult> {
    const { database, keyring } = this.#parts;
    // Loaded before the transaction begins, because a key service may have to be asked.
    const keys = await keyring.forTenant(this.#tenantId);
    const result = await database.forTenant(this.#tenantId, async (tx) => {
      const store = new ErasureStore(tx, this.#tenantId);
      const erasure = await store.lock(this.#id);
      if (erasure === undefined) return 'over';
      if (erasure.status === 'sealing') return 'sealing';
      if (erasure.status !== 'queued' && erasure.status !== 'running') return 'over';
      return this.#removeBatch(tx, erasure, new ErasedTokenStore(tx, this.#tenantId, keys));
    });
    return result === 'sealing' ? this.#seal() : result;
  }

  /**
   * Removes tokens up to the number that was confirmed. More may match by now, because somebody changed tokens or the
   * rights of the requester, and nobody has agreed to those.
   */
  async #removeBatch(tx: Transaction, erasure: Erasure, tokens: ErasedTokenStore): Promise<StepResult> {
    const store = new ErasureStore(tx, this.#tenantId);
    const scope = await this.#findScope(tx, erasure);
    if (scope === undefined) return this.#stop(tx, erasure, lostRights);
    const { query, isLimited } = scope;
    const room = Math.max(0, mostRemoved(erasure) - erasure.removed);
    if (erasure.status === 'queued') {
      if ((await tokens.count(query)).tokens > room) return this.#stop(tx, erasure, tooMany(erasure));
      await store.setStatus(this.#id, 'running');
    }
    const details = {
      within: this.#id,
      ...(erasure.createdBy === null ? {} : { requester: erasure.createdBy }),
    };
    const removed = room > 0 ? await tokens.remove(query, { limit: Math.min(batchSize, room), details }) : 0;
    if (removed > 0) {
      await store.addBatch(this.#id, { tokens: removed, isLimited });
      return 'more';
    }
    const remaining = await tokens.count(query);
    if (remaining.tokens > room) return this.#stop(tx, erasure, tooMany(erasure));
    // Tokens that somebody is changing at this moment are skipped. They are looked for again a little later.
    if (remaining.tokens > 0) return 'waiting';
    await store.beginSealing(this.#id, { held: remaining.held, isLimited });
    await this.#record(tx, erasure, 'success');
    return 'more';
  }

  /** Returns what the requester may remove with the rights of this moment. Undefined if that is nothing. */
  async #findScope(
    tx: Transaction,
    erasure: Erasure,
  ): Promise<{ readonly query: SearchQuery; readonly isLimited: boolean } | undefined> {
    const requester = await this.#parts.findRights(tx, this.#tenantId, erasure);
    if (requester === undefined || !isGranted(requester.grants, 'token:delete')) return undefined;
    if (!isGranted(requester.grants, 'token:search')) return undefined;
    const { query, isLimited } = toErasureScope(erasure.selection, requester.grants, erasure.confirmedAt ?? undefined);
    if (query === 'all') throw new Error('An erasure selects something.');
    return query === 'nothing' ? undefined : { query, isLimited };
  }

  async #stop(tx: Transaction, erasure: Erasure, reason: string): Promise<StepResult> {
    await endErasure(new ErasureStore(tx, this.#tenantId), erasure, 'stopped', reason);
    await this.#record(tx, erasure, 'failed');
    return 'over';
  }

  /** Writes the receipt when all removals are sealed, or ends without one. The log is read outside of a transaction. */
  async #seal(): Promise<StepResult> {
    const { database } = this.#parts;
    const { erasure, batches, otherCell } = await database.forTenant(this.#tenantId, async (tx) => {
      const store = new ErasureStore(tx, this.#tenantId);
      return {
        erasure: await store.find(this.#id),
        batches: await store.listBatches(this.#id),
        otherCell: await store.findOtherCell(),
      };
    });
    if (erasure === undefined) return 'over';
    const selection = withDigests(erasure.selection, this.#id);
    const wanted = { tenantId: this.#tenantId, erasure: { ...erasure, selection }, batches, otherCell };
    const written = await writeOrGiveUp(this.#parts, wanted);
    if (written === undefined) return 'waiting';
    await database.forTenant(this.#tenantId, async (tx) => {
      const store = new ErasureStore(tx, this.#tenantId);
      if ((await store.lock(this.#id))?.status !== 'sealing') return;
      if ('reason' in written) await this.#stop(tx, erasure, written.reason);
      else await store.end(this.#id, { status: 'finished', selection, receipt: written.receipt });
    });
    return 'over';
  }

  async #record(tx: Transaction, { removed }: Erasure, outcome: 'success' | 'failed'): Promise<void> {
    const event = erasureEvent(this.#id, 'run', { outcome, details: { found: removed } });
    await recordInTransaction(tx, this.#tenantId, 'system', event);
  }
}

function tooMany(erasure: Erasure): string {
  return `more tokens match than the ${counted(mostRemoved(erasure), 'token')} that were confirmed`;
}
