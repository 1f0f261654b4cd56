import { setTimeout } from 'node:timers/promises';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { Database } from '../../platform/database/database.ts';
import type { SealedTable } from '../../platform/keyring/sealed-rows.ts';
import { TenantKeyStore } from '../../platform/keyring/tenant-key-store.ts';
import { keyEvent } from './key-event.ts';

/** A server that has read a row opens it within seconds; after a minute nobody holds one of an older version in hand. */
const closedForMinMs = 60_000;
const pageSize = 5_000;

export interface RetirementReport {
  /** Versions that are destroyed now. */
  readonly retired: readonly number[];
  /** Versions that rows are still under, and how many. */
  readonly inUse: ReadonlyMap<number, number>;
}

/**
 * Destroys data keys that nothing is sealed under any more. Only a closed version can go: no row can come under it while
 * its rows are being counted, nor afterwards.
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

  /** How many rows are under each of these versions; those without any are left out. */
  async countRows(
    tenantId: TenantId,
    versions: readonly number[],
    onProgress: (read: number) => void,
  ): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    let read = 0;
    for (const table of this.#tables) {
      for (let after = ''; ; ) {
        const page = await this.#database.forTenant(tenantId, (tx) =>
          table.listVersions(tx, tenantId, { after, limit: pageSize }),
        );
        for (const { version } of page) {
          if (version !== null && versions.includes(version)) counts.set(version, (counts.get(version) ?? 0) + 1);
        }
        read += page.length;
        onProgress(read);
        after = page.at(-1)?.position ?? after;
        if (page.length < pageSize) break;
      }
    }
    return counts;
  }

  /** The versions that are closed, once each of them has been so for long enough. */
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
