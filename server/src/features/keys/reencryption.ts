import { setTimeout } from 'node:timers/promises';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/audit-log.ts';
import { isKeyVersionClosed } from '../../platform/database/database-error.ts';
import type { Keyring } from '../../platform/keyring/keyring.ts';
import { SealedRecordError } from '../../platform/keyring/sealed-record.ts';
import type { FreshRecord, SealedRow, SealedTable } from '../../platform/keyring/sealed-rows.ts';
import { type TenantKeyInfo, TenantKeyStore } from '../../platform/keyring/tenant-key-store.ts';
import type { Nodes } from '../../platform/nodes/nodes.ts';
import { whileNothingMoves } from '../../platform/nodes/steady-drawers.ts';
import { closeOlderEverywhere } from './key-closing.ts';
import { keyEvent } from './key-event.ts';
import { Pace } from './pace.ts';
import { listParts, type SealedPart, versionPages } from './sealed-parts.ts';
import { type ReencryptionTask, type ReencryptionState, ReencryptionStore } from './reencryption-store.ts';

/** Long enough for every running server to learn of a new key. One that has not gets a 503 and cannot write. */
const settleMs = 5_000;
const pageMax = 500;
const unreadableShownMax = 20;
/** So often parts are gone through again because tokens have moved into them. */
const roundsMax = 5;

export interface ReencryptionReport {
  readonly targetVersion: number;
  readonly read: number;
  readonly changed: number;
  /** Rows that no key can decrypt. They stay as they are, and keep their key version from being retired. */
  readonly unreadable: readonly string[];
}

/**
 * Re-encrypts all data of a tenant with its newest data key, while servers are running. Older versions are closed
 * first, so that nothing new uses them; then each table is traversed once. A row is replaced only if it is
 * still the one that was read, and the position is stored in the same transaction: if killed at any point, the
 * next run continues there. Tables that several databases have a part of are traversed in each of them.
 */
export class Reencryption {
  readonly #nodes: Nodes;
  readonly #keyring: Keyring;
  readonly #tables: readonly SealedTable[];
  readonly #settleMs: number;

  constructor(parts: { nodes: Nodes; keyring: Keyring; tables: readonly SealedTable[]; settleMs?: number }) {
    this.#nodes = parts.nodes;
    this.#keyring = parts.keyring;
    this.#tables = parts.tables;
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
    for (let rounds = 0; rounds < roundsMax; rounds += 1) {
      const unreadable: string[] = [];
      const totals = { read: 0, changed: 0 };
      const walked: WalkedPart[] = [];
      for (const part of listParts(this.#nodes, this.#tables)) {
        const task = { tenantId, source: part.table.name, targetVersion };
        const before = totals.read;
        const state = await this.#walk(part, task, {
          limit,
          pace: (rows) => pace.wait(rows),
          onUnreadable: ({ position }) => {
            if (unreadable.length < unreadableShownMax) unreadable.push(`${part.table.name} ${position}`);
          },
          onProgress: (rows) => onProgress(before + rows),
        });
        totals.read += state.rowsRead;
        totals.changed += state.rowsChanged;
        walked.push({ part, task, state });
      }
      if (await this.#isDone(walked)) return { targetVersion, ...totals, unreadable };
    }
    throw new Error('Tokens keep moving between the databases of this vault. Run this again when that has ended.');
  }

  /**
   * A token may have moved from a part that was still to be gone through into one that was done. So all of them are looked at once more
   * while nothing moves, and parts that it finds something in are gone through again.
   */
  async #isDone(walked: readonly WalkedPart[]): Promise<boolean> {
    if (this.#nodes.isAlone) return true;
    const onNodes = walked.filter(({ part }) => part.table.isOnNodes);
    const restart = async (parts: readonly WalkedPart[]) => {
      for (const { part, task } of parts)
        await part.node.database.forTenant(task.tenantId, (tx) => new ReencryptionStore(tx).restart(task));
    };
    try {
      const behind = await whileNothingMoves(this.#nodes, () => listLeftBehind(onNodes));
      await restart(behind);
      return behind.length === 0;
    } catch (error) {
      // Nobody knows whether anything is left, so none of them may pass for done.
      await restart(onNodes);
      throw error;
    }
  }

  /** The newest version; from now on, the only one used for encryption. */
  async #closeOlder(tenantId: TenantId): Promise<number> {
    const newest = await this.#findNewest(tenantId);
    if (newest.ageMs < this.#settleMs) await setTimeout(this.#settleMs - newest.ageMs);
    await closeOlderEverywhere(this.#nodes, tenantId);
    this.#keyring.forget(tenantId);
    // One that was made meanwhile has been closed at home against, but not on the nodes.
    const isNewest = this.#nodes.isAlone || (await this.#findNewest(tenantId)).version === newest.version;
    return isNewest ? newest.version : this.#closeOlder(tenantId);
  }

  async #findNewest(tenantId: TenantId): Promise<TenantKeyInfo> {
    const { database } = this.#nodes.home;
    const keys = await database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).describe(tenantId));
    const newest = keys.findLast(({ purpose }) => purpose === 'data');
    if (newest === undefined) throw new Error(`There is no tenant ${tenantId}.`);
    return newest;
  }

  async #walk(part: SealedPart, task: ReencryptionTask, options: WalkOptions): Promise<ReencryptionState> {
    const { database } = part.node;
    for (;;) {
      const state = await database.forTenant(task.tenantId, (tx) => new ReencryptionStore(tx).begin(task));
      options.onProgress(state.rowsRead);
      if (state.targetVersion > task.targetVersion) {
        throw new Error(
          `Data key ${state.targetVersion} was created in the meantime, and another run is re-encrypting with it.`,
        );
      }
      if (state.isFinished) {
        // What could not be opened may be mended: the next run looks again, and says again what it finds.
        if (state.rowsUnreadable > 0)
          await database.forTenant(task.tenantId, (tx) => new ReencryptionStore(tx).restart(task));
        return state;
      }
      await this.#step(part, task, state.position, options).catch(async (error: unknown) => {
        if (part.node === this.#nodes.home || !isKeyVersionClosed(error)) throw error;
        // A key that was made meanwhile, of which the node has not heard.
        await this.#nodes.introduce(part.node, task.tenantId);
        await this.#step(part, task, state.position, options);
      });
    }
  }

  async #step(
    { table, node: { database } }: SealedPart,
    task: ReencryptionTask,
    after: string,
    options: WalkOptions,
  ): Promise<void> {
    const { tenantId, targetVersion: version } = task;
    const { limit } = options;
    const rows = await database.forTenant(tenantId, (tx) => table.list(tx, tenantId, { after, limit, version }));
    await options.pace(rows.length);
    const { records, unreadable } = await this.#reseal(tenantId, rows);
    unreadable.forEach(options.onUnreadable);
    await database.forTenant(tenantId, async (tx) => {
      const step = {
        to: rows.at(-1)?.position ?? after,
        read: rows.length,
        changed: records.length === 0 ? 0 : await table.replace(tx, tenantId, records),
        unreadable: unreadable.length,
        isLast: rows.length === 0,
      };
      const isAdvanced = await new ReencryptionStore(tx).advance(task, after, step);
      if (isAdvanced && step.isLast) {
        await recordInTransaction(tx, tenantId, 'system', keyEvent({ purpose: 'data', version }, 'reencrypt'));
      }
    });
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
        const keys = await this.#keyring.forRecord(tenantId, old);
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

/** A part that was gone through, and what that has come to. */
interface WalkedPart {
  readonly part: SealedPart;
  readonly task: ReencryptionTask;
  readonly state: ReencryptionState;
}

/** Those that have rows of older versions, apart from rows that cannot be decrypted. */
async function listLeftBehind(walked: readonly WalkedPart[]): Promise<WalkedPart[]> {
  const behind: WalkedPart[] = [];
  for (const one of walked) {
    const { tenantId, targetVersion } = one.task;
    let older = 0;
    for await (const page of versionPages(one.part, tenantId))
      older += page.filter(({ version }) => version !== null && version < targetVersion).length;
    if (older > one.state.rowsUnreadable) behind.push(one);
  }
  return behind;
}

interface WalkOptions {
  readonly limit: number;
  readonly pace: (rows: number) => Promise<void>;
  readonly onUnreadable: (row: SealedRow) => void;
  readonly onProgress: (rowsRead: number) => void;
}
