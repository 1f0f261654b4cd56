import type { Actor, Caller, UserCaller } from '../../../core/identity/caller.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { Database, Statement, Transaction } from '../../database/database.ts';
import { TenantBatcher } from '../../database/tenant-batcher.ts';
import type { AuditEvent } from './audit-event.ts';
import { insertCommonAuditRecords } from './audit-statement.ts';
import { toCommonRecords } from './common-records.ts';

const appendText = insertCommonAuditRecords();

/** Appends the record of an operation in the operation's own transaction, so that neither exists without the other. */
export async function recordInTransaction(
  tx: Transaction,
  tenantId: TenantId,
  actor: Actor,
  event: AuditEvent,
): Promise<void> {
  await recordAllInTransaction(tx, tenantId, actor, [event]);
}

/** Appends many records of one actor in one transaction. */
export async function recordAllInTransaction(
  tx: Transaction,
  tenantId: TenantId,
  actor: Actor,
  events: readonly AuditEvent[],
): Promise<void> {
  await tx.query(toAppend(tenantId, toCommonRecords(actor, events)));
}

/** The events of one request as JSON texts. Events that differ only in their entity share one text. */
interface RequestRecords {
  readonly texts: readonly string[];
  readonly count: number;
}

/**
 * Records operations that write nothing else, such as lists. Many records share one commit, and each is durable before
 * its response.
 */
export class AuditLog {
  readonly #batcher: TenantBatcher<RequestRecords, true>;

  constructor(database: Database) {
    this.#batcher = new TenantBatcher({
      name: 'audit',
      meter: database.batches,
      itemsMax: 500,
      queueMax: 10_000,
      isChange: false,
      sizeOf: ({ count }) => count,
      run: async (tenantId, items) => {
        const texts = items.flatMap((item) => item.texts);
        await database.runForTenant(tenantId, toAppend(tenantId, texts));
        return items.map(() => true as const);
      },
    });
  }

  /** Resolves when the record is committed. A response must not be sent before that. */
  async append(caller: Caller | UserCaller, event: AuditEvent): Promise<void> {
    await this.#appendAll(caller, [event]);
  }

  /** Does the same as `append` for an operation on several entities. Either all records are written or none. */
  async appendAll(caller: Caller, events: readonly AuditEvent[]): Promise<void> {
    if (events.length > 0) await this.#appendAll(caller, events);
  }

  async #appendAll(caller: Caller | UserCaller, events: readonly AuditEvent[]): Promise<void> {
    await this.#batcher.add(caller.tenantId, { texts: toCommonRecords(caller, events), count: events.length });
  }
}

function toAppend(tenantId: TenantId, records: readonly string[]): Statement {
  return { name: 'audit-append', text: appendText, values: [tenantId, `[${records.join(',')}]`] };
}
