import { setTimeout } from 'node:timers/promises';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { SealedRecordError } from '../../platform/keyring/sealing/sealed-record.ts';
import type { FreshRecord, SealedRow, SealedTable } from '../../platform/keyring/keys/sealed-rows.ts';
import { TenantKeyStore } from '../../platform/keyring/keys/tenant-key-store.ts';
import { keyEvent } from './key-event.ts';
import { Pace } from './pace.ts';
import { rowVersionPages } from './row-versions.ts';
import { type ReencryptionTask, type ReencryptionState, ReencryptionStore } from './reencryption-store.ts';

/**
 * This is long enough for every running server to be notified of a new key. A server that was not notified responds
 * with 503 and cannot write.
 */
const settleMs = 5_000;
const pageMax = 500;
const unreadableShownMax = 20;
/** The maximum number of times a table is traversed again because rows of an older version were found afterwards. */
const restartsMax = 4;

export interface ReencryptionReport {
  readonly targetVersion: number;
  readonly read: number;
  readonly changed: number;
  /** Rows that no key can decrypt. They stay unchanged and prevent their key version from being retired. */
  readonly unreadable: readonly string[];
}

interface ReencryptionParts {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly tables: readonly SealedTable[];
  readonly settleMs?: number;
}

/**
 * Re-encrypts all data of a tenant with its newest data key, while servers are running. Older versions are closed
 * first, so that nothing new uses them. Then each table is traversed. A row is replaced only if it has not changed
 * since it was read, and the position is stored in the same transaction. If a run is killed, the next run continues
 * from the stored position. A table counts as done only if a final check finds no missed rows.
 */
export class Reencryption {
  readonly #parts: ReencryptionParts;
  readonly #settleMs: number;

  constructor(parts: ReencryptionParts) {
    this.#parts = parts;
    this.#settleMs = parts.settleMs ?? settleMs;
  }

  /** `onProgress` receives the number of rows read, including those of earlier runs. */
  async run(
    tenantId: TenantId,
    { rowsPerSecond, onProgress }: { readonly rowsPerSecond: number; readonly onProgress: (read: number) => void },
  ): Promise<ReencryptionReport> {
    const targetVersion = await this.#closeOlder(tenantId);
    const pace = new Pace(rowsPerSecond);
    const limit = Math.min(pageMax, Math.max(1, Math.ceil(rowsPerSecond / 5)));
    const unreadable: string[] = [];
    const totals = { read: 0, changed: 0 };
    for (const table of this.#parts.tables) {
      const task = { tenantId, source: table.name, targetVersion };
      const before = totals.read;
      const state = await this.#walk(table, task, {
        limit,
        pace: (rows) => pace.wait(rows),
        onUnreadable: ({ position }) => {
          const row = `${table.name} ${position}`;
          if (unreadable.length < unreadableShownMax && !unreadable.includes(row)) unreadable.push(row);
        },
        onProgress: (rows) => onProgress(before + rows),
      });
      totals.read += state.rowsRead;
      totals.changed += state.rowsChanged;
    }
    return { targetVersion, ...totals, unreadable };
  }

  /** Closes the older versions and returns the newest. From now on, only the newest is used for encryption. */
  async #closeOlder(tenantId: TenantId): Promise<number> {
    const keys = await this.#parts.database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).describe(tenantId));
    const newest = keys.findLast(({ purpose }) => purpose === 'data');
    if (newest === undefined) throw new Error(`There is no tenant ${tenantId}.`);
    if (newest.ageMs < this.#settleMs) await setTimeout(this.#settleMs - newest.ageMs);
    await this.#parts.database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).closeOlder(tenantId));
    this.#parts.keyring.forget(tenantId);
    return newest.version;
  }

  async #walk(table: SealedTable, task: ReencryptionTask, options: WalkOptions): Promise<ReencryptionState> {
    for (let restarts = 0; ; ) {
      const state = await this.#begin(task);
      options.onProgress(state.rowsRead);
      if (!state.isFinished && (await this.#step(table, task, state.position, options))) continue;
      if ((await this.#countOlder(table, task)) > state.rowsUnreadable) {
        // Rows with an older version were written before the current position, for example from a backup.
        if (restarts === restartsMax) throw new Error(rowsKeepComing(table));
        restarts += 1;
        await this.#restart(task);
      } else if (state.isFinished || (await this.#finish(task, state.position))) {
        // Unreadable rows may be repaired, so the next run tries them again and reports them again.
        if (state.rowsUnreadable > 0) await this.#restart(task);
        return state;
      }
    }
  }

  async #begin(task: ReencryptionTask): Promise<ReencryptionState> {
    const state = await this.#parts.database.forTenant(task.tenantId, (tx) => new ReencryptionStore(tx).begin(task));
    if (state.targetVersion > task.targetVersion) {
      throw new Error(
        `Data key ${state.targetVersion} was created in the meantime, and another run is re-encrypting with it.`,
      );
    }
    return state;
  }

  async #restart(task: ReencryptionTask): Promise<void> {
    await this.#parts.database.forTenant(task.tenantId, (tx) => new ReencryptionStore(tx).restart(task));
  }

  /** Counts rows with an older key version, including those that no key can decrypt. */
  async #countOlder(table: SealedTable, { tenantId, targetVersion }: ReencryptionTask): Promise<number> {
    let count = 0;
    for await (const page of rowVersionPages(this.#parts.database, table, tenantId)) {
      count += page.filter(({ version }) => version !== null && version < targetVersion).length;
    }
    return count;
  }

  /** Marks the table as done. Returns false if another run has moved the position in the meantime. */
  #finish(task: ReencryptionTask, at: string): Promise<boolean> {
    const { tenantId, targetVersion: version } = task;
    return this.#parts.database.forTenant(tenantId, async (tx) => {
      const step = { to: at, read: 0, changed: 0, unreadable: 0, isLast: true };
      const isFinished = await new ReencryptionStore(tx).advance(task, at, step);
      if (isFinished) {
        await recordInTransaction(tx, tenantId, 'system', keyEvent({ purpose: 'data', version }, 'reencrypt'));
      }
      return isFinished;
    });
  }

  /** Re-encrypts the next rows. Returns false if there are none. */
  async #step(table: SealedTable, task: ReencryptionTask, after: string, options: WalkOptions): Promise<boolean> {
    const { tenantId, targetVersion: version } = task;
    const { limit } = options;
    const rows = await this.#parts.database.forTenant(tenantId, (tx) =>
      table.list(tx, tenantId, { after, limit, version }),
    );
    if (rows.length === 0) return false;
    await options.pace(rows.length);
    const { records, unreadable } = await this.#reseal(tenantId, rows);
    unreadable.forEach(options.onUnreadable);
    await this.#parts.database.forTenant(tenantId, async (tx) => {
      const step = {
        to: rows.at(-1)?.position ?? after,
        read: rows.length,
        changed: records.length === 0 ? 0 : await table.replace(tx, tenantId, records),
        unreadable: unreadable.length,
        isLast: false,
      };
      await new ReencryptionStore(tx).advance(task, after, step);
    });
    return true;
  }

  async #reseal(
    tenantId: TenantId,
    rows: readonly SealedRow[],
  ): Promise<{ readonly records: FreshRecord[]; readonly unreadable: SealedRow[] }> {
    const records: FreshRecord[] = [];
    const unreadable: SealedRow[] = [];
    for (const row of rows) {
      const { position, sealed: old, binding } = row;
      if (old === null) continue;
      try {
        const keys = await this.#parts.keyring.forRecord(tenantId, old);
        const fresh = keys.reseal(old, binding);
        if (fresh !== undefined) records.push({ position, old, fresh });
      } catch (error) {
        if (!(error instanceof SealedRecordError)) throw error;
        unreadable.push(row);
      }
    }
    return { records, unreadable };
  }
}

function rowsKeepComing({ name }: SealedTable): string {
  return `Rows encrypted with older data keys keep appearing in ${name}. Find out what writes them, then run this again.`;
}

interface WalkOptions {
  readonly limit: number;
  readonly pace: (rows: number) => Promise<void>;
  readonly onUnreadable: (row: SealedRow) => void;
  readonly onProgress: (rowsRead: number) => void;
}
