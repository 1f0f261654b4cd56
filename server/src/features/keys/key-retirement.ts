import { setTimeout } from 'node:timers/promises';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/record/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { SealedTable } from '../../platform/keyring/keys/sealed-rows.ts';
import { TenantKeyStore } from '../../platform/keyring/keys/tenant-key-store.ts';
import { keyEvent } from './key-event.ts';
import { rowVersionPages } from './row-versions.ts';

/**
 * The minimum time for which a key version must have been closed, in milliseconds. A server decrypts a row within
 * seconds of reading it, so after a minute no server still has a row of an older version.
 */
const closedForMinMs = 60_000;

export interface RetirementReport {
  /** Versions that were destroyed. */
  readonly retired: readonly number[];
  /** Versions that are still in use, with the number of their rows. */
  readonly inUse: ReadonlyMap<number, number>;
}

/**
 * Destroys data keys that are no longer used. Only a closed version can be destroyed, because no row can be encrypted
 * with it while its rows are being counted, or afterwards.
 */
export class KeyRetirement {
  readonly #database: Database;
  readonly #tables: readonly SealedTable[];
  readonly #closedForMinMs: number;

  constructor(parts: { database: Database; tables: readonly SealedTable[]; closedForMinMs?: number }) {
    this.#database = parts.database;
    this.#tables = parts.tables;
    this.#closedForMinMs = parts.closedForMinMs ?? closedForMinMs;
  }

  async run(tenantId: TenantId, onProgress: (read: number) => void): Promise<RetirementReport> {
    const closed = await this.#awaitClosed(tenantId);
    const inUse = closed.length === 0 ? new Map<number, number>() : await this.countRows(tenantId, closed, onProgress);
    const retired: number[] = [];
    for (const version of closed) {
      if (!inUse.has(version) && (await this.#destroy(tenantId, version))) retired.push(version);
    }
    return { retired, inUse };
  }

  /** Returns the number of rows that use each of these versions. Unused versions are omitted. */
  async countRows(
    tenantId: TenantId,
    versions: readonly number[],
    onProgress: (read: number) => void,
  ): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    let read = 0;
    for (const table of this.#tables) {
      for await (const page of rowVersionPages(this.#database, table, tenantId)) {
        for (const { version } of page) {
          if (version !== null && versions.includes(version)) counts.set(version, (counts.get(version) ?? 0) + 1);
        }
        read += page.length;
        onProgress(read);
      }
    }
    return counts;
  }

  /** Waits until each closed version has been closed for long enough, and returns the closed versions. */
  async #awaitClosed(tenantId: TenantId): Promise<number[]> {
    const keys = await this.#database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).describe(tenantId));
    const closed = keys.filter(({ closedAt }) => closedAt !== null);
    const youngestMs = Math.min(...closed.map(({ closedForMs }) => closedForMs ?? 0));
    if (youngestMs < this.#closedForMinMs) await setTimeout(this.#closedForMinMs - youngestMs);
    return closed.map(({ version }) => version);
  }

  #destroy(tenantId: TenantId, version: number): Promise<boolean> {
    return this.#database.forTenant(tenantId, async (tx) => {
      const isGone = await new TenantKeyStore(tx).deleteClosed(tenantId, version);
      if (isGone) await recordInTransaction(tx, tenantId, 'system', keyEvent({ purpose: 'data', version }, 'retire'));
      return isGone;
    });
  }
}
