import { OperatorError } from '../../../core/errors/operator-error.ts';
import type { AuditRecord } from '../../../core/audit/record-text.ts';
import type { TenantId } from '../../../core/identity/ids.ts';
import type { ArchivedLogReader } from '../../../platform/audit/archive/archived-log-reader.ts';
import type { FileOfMonth, LogArchive } from '../../../platform/audit/archive/log-archive.ts';
import type { EntityType, Operation, Outcome } from '../../../platform/audit/record/audit-event.ts';
import type { LogService } from '../list/log-service.ts';
import type { Log, LogFilter } from '../model/log.ts';

const recordsPerPage = 500;

/** The log of the database with the months of an archive that are no longer in the database. */
export class ArchivedLogs {
  readonly #logs: LogService;
  readonly #archive: LogArchive;
  readonly #reader: ArchivedLogReader;

  constructor(logs: LogService, { archive, reader }: { archive: LogArchive; reader: ArchivedLogReader }) {
    this.#logs = logs;
    this.#archive = archive;
    this.#reader = reader;
  }

  /** Yields every matching record in pages: those of the database first, newest first, then the archived ones. */
  async *listAll(caller: { readonly tenantId: TenantId }, filter: LogFilter): AsyncGenerator<readonly Log[]> {
    if (filter.exclusions.length > 0) throw new Error('Archives are read without exclusions.');
    const dropped = await this.#reader.listMonthsDropped(caller.tenantId);
    const files = await this.#filesFor(caller.tenantId, filter);
    yield* this.#logs.listAll(caller, filter);
    // A month that was dropped in between would be read twice, or not at all.
    if ((await this.#reader.listMonthsDropped(caller.tenantId)).length !== dropped.length)
      throw new OperatorError('A month was dropped while the log was read. Run the command again.');
    let page: Log[] = [];
    for (const file of files) {
      for (const { records } of await this.#archive.readFile(file)) {
        for (const record of records) if (isWanted(record, filter)) page.push(toLog(record));
        if (page.length < recordsPerPage) continue;
        yield page;
        page = [];
      }
    }
    yield page;
  }

  /** Returns the beginning of the oldest month that is in the database or the archive. */
  async findKeptSince(caller: { readonly tenantId: TenantId }): Promise<Date> {
    const kept = await this.#logs.findKeptSince(caller);
    const [oldest] = await this.#archive.listFiles(caller.tenantId);
    const archived = oldest === undefined ? kept : new Date(`${oldest.month}-01T00:00:00Z`);
    return archived < kept ? archived : kept;
  }

  #filesFor(tenantId: TenantId, { from, to }: LogFilter): Promise<readonly FileOfMonth[]> {
    const [first, last] = [from, to].map((time) => time?.toISOString().slice(0, 7));
    return this.#reader.droppedFiles(
      tenantId,
      ({ month }) => (first === undefined || month >= first) && (last === undefined || month <= last),
    );
  }
}

function isWanted(record: AuditRecord, { entityType, entityId, requestId, facets, from, to }: LogFilter): boolean {
  return (
    (entityType === undefined || record.entity_type === entityType) &&
    (entityId === undefined || record.entity_id === entityId) &&
    (requestId === undefined || record.request_id === requestId) &&
    (from === undefined || record.created_at >= from.getTime()) &&
    (to === undefined || record.created_at < to.getTime()) &&
    facets.every(({ field, value }) => record[field] === value)
  );
}

function toLog(record: AuditRecord): Log {
  return {
    id: record.id,
    actorId: record.actor_id,
    actorType: record.actor_type,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the record was sealed, so the vault wrote it.
    entityType: record.entity_type as EntityType,
    entityId: record.entity_id,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    operation: record.operation as Operation,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    outcome: record.outcome as Outcome,
    transform: record.transform,
    keyId: record.key_id,
    requestId: record.request_id,
    sourceAddress: record.source_address,
    containers: record.containers,
    destination: record.destination,
    details: record.details,
    createdAt: new Date(record.created_at),
  };
}
