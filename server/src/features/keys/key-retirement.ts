import { setTimeout } from 'node:timers/promises';
import type { TenantId } from '../../core/identity/ids.ts';
import { recordInTransaction } from '../../platform/audit/audit-log.ts';
import type { SealedTable } from '../../platform/keyring/sealed-rows.ts';
import { type TenantKeyInfo, TenantKeyStore } from '../../platform/keyring/tenant-key-store.ts';
import type { Nodes, VaultNode } from '../../platform/nodes/nodes.ts';
import { whileNothingMoves } from '../../platform/nodes/steady-drawers.ts';
import { closeOlderOn } from './key-closing.ts';
import { keyEvent } from './key-event.ts';
import { listParts, versionPages } from './sealed-parts.ts';

/** A server that has read a row decrypts it within seconds; after a minute, none still has a row of an older version. */
const closedForMinMs = 60_000;

export interface RetirementReport {
  /** Versions that were destroyed. */
  readonly retired: readonly number[];
  /** Versions still in use, with the number of rows. */
  readonly inUse: ReadonlyMap<number, number>;
}

/**
 * Destroys data keys that are no longer used. Only a closed version can be destroyed: no row can be encrypted with it while
 * its rows are being counted, or afterwards.
 */
export class KeyRetirement {
  readonly #nodes: Nodes;
  readonly #tables: readonly SealedTable[];
  readonly #closedForMinMs: number;

  constructor(parts: { nodes: Nodes; tables: readonly SealedTable[]; closedForMinMs?: number }) {
    this.#nodes = parts.nodes;
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

  /** How many rows use each of these versions; unused versions are omitted. */
  async countRows(
    tenantId: TenantId,
    versions: readonly number[],
    onProgress: (read: number) => void,
  ): Promise<Map<number, number>> {
    return whileNothingMoves(this.#nodes, async () => {
      const counts = new Map<number, number>();
      let read = 0;
      for (const part of listParts(this.#nodes, this.#tables)) {
        for await (const page of versionPages(part, tenantId)) {
          for (const { version } of page) {
            if (version !== null && versions.includes(version)) counts.set(version, (counts.get(version) ?? 0) + 1);
          }
          read += page.length;
          onProgress(read);
        }
      }
      return counts;
    });
  }

  /** The closed versions, once each has been closed for long enough in every database. */
  async #awaitClosed(tenantId: TenantId): Promise<number[]> {
    const closed = await this.#listClosed(this.#nodes.home, tenantId);
    if (closed.length > 0 && !this.#nodes.isAlone) await this.#closeOnNodes(tenantId);
    const versions = closed.map(({ version }) => version);
    const others = closed.length === 0 ? [] : this.#nodes.all.slice(1);
    const elsewhere = await Promise.all(others.map((node) => this.#listClosed(node, tenantId)));
    const all = [closed, ...elsewhere].flat();
    const youngestMs = Math.min(
      ...all.filter(({ version }) => versions.includes(version)).map(({ closedForMs }) => closedForMs ?? 0),
    );
    if (youngestMs < this.#closedForMinMs) await setTimeout(this.#closedForMinMs - youngestMs);
    return versions;
  }

  /**
   * A node that was added since may not have heard of it. From then on it has a row of each version, closed, and keeps it when home
   * destroys the key: what a slow server tells it afterwards opens none of them.
   */
  async #closeOnNodes(tenantId: TenantId): Promise<void> {
    for (const node of this.#nodes.all.slice(1)) await closeOlderOn(this.#nodes, node, tenantId);
  }

  async #listClosed({ database }: VaultNode, tenantId: TenantId): Promise<TenantKeyInfo[]> {
    const keys = await database.forTenant(tenantId, (tx) => new TenantKeyStore(tx).describe(tenantId));
    return keys.filter(({ closedAt }) => closedAt !== null);
  }

  #destroy(tenantId: TenantId, version: number): Promise<boolean> {
    return this.#nodes.home.database.forTenant(tenantId, async (tx) => {
      const isGone = await new TenantKeyStore(tx).deleteClosed(tenantId, version);
      if (isGone) await recordInTransaction(tx, tenantId, 'system', keyEvent({ purpose: 'data', version }, 'retire'));
      return isGone;
    });
  }
}
