import type { Actor, Caller, UserCaller } from '../../core/identity/caller.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Database, Transaction } from '../database/database.ts';
import { TenantBatcher } from '../database/tenant-batcher.ts';
import { type AuditEvent, type AuditRow, toAuditRow } from './audit-event.ts';
import { insertAuditRecords } from './audit-statement.ts';

const appendText = insertAuditRecords(2);

/** Appends the record of an operation within the operation's own transaction: neither exists without the other. */
export async function recordInTransaction(
  tx: Transaction,
  tenantId: TenantId,
  actor: Actor,
  event: AuditEvent,
): Promise<void> {
  await recordAllInTransaction(tx, tenantId, actor, [event]);
}

/** Appends many records that one actor has caused within one transaction. */
export async function recordAllInTransaction(
  tx: Transaction,
  tenantId: TenantId,
  actor: Actor,
  events: readonly AuditEvent[],
): Promise<void> {
  await tx.query({
    name: 'audit-append',
    text: appendText,
    values: [tenantId, JSON.stringify(events.map((event) => toAuditRow(actor, event)))],
  });
}

/** Records of operations that write nothing else, such as reads: one commit for many, each durable before its response. */
export class AuditLog {
  readonly #batcher: TenantBatcher<readonly AuditRow[], true>;

  constructor(database: Database) {
    this.#batcher = new TenantBatcher({
      name: 'audit',
      meter: database.batches,
      itemsMax: 500,
      queueMax: 10_000,
      isChange: false,
      sizeOf: (rows) => rows.length,
      run: async (tenantId, items) => {
        await database.runForTenant(tenantId, {
          name: 'audit-append',
          text: appendText,
          values: [tenantId, JSON.stringify(items.flat())],
        });
        return items.map(() => true as const);
      },
    });
  }

  /** Resolves once the record is committed; a response must not leave before. */
  async append(caller: Caller | UserCaller, event: AuditEvent): Promise<void> {
    await this.#batcher.add(caller.tenantId, [toAuditRow(caller, event)]);
  }

  /** As `append`, for an operation that is about several things: all of their records or none. */
  async appendAll(caller: Caller, events: readonly AuditEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.#batcher.add(
      caller.tenantId,
      events.map((event) => toAuditRow(caller, event)),
    );
  }
}
