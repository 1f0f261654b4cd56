import type { AuditRecord } from '../../../core/audit/record-text.ts';
import type { Database } from '../../database/database.ts';
import { compareOrders, compareRecords, firstOrder, monthOf } from '../seal/audit-record.ts';
import { listMonthsDropped } from '../verify/log-months.ts';
import { LogReader, type RecordKey } from '../verify/log-reader.ts';
import { DamagedArchiveError, type FileOfMonth, type LogArchive } from './log-archive.ts';

/**
 * Reads the log of the database, and from an archive the months that are no longer in the database. What should be in
 * the database is read there only: otherwise, an archive would hide that somebody has removed it.
 */
export class ArchivedLogReader extends LogReader {
  readonly #database: Database;
  readonly #archive: LogArchive;
  /** The archived files of each tenant whose months are no longer in the database. */
  readonly #dropped = new Map<string, Promise<readonly FileOfMonth[]>>();

  constructor(database: Database, archive: LogArchive) {
    super(database);
    this.#database = database;
    this.#archive = archive;
  }

  override async recordsBetween(tenantId: string, from: string, to: string): Promise<AuditRecord[]> {
    const stored = await super.recordsBetween(tenantId, from, to);
    const files = await this.droppedFiles(
      tenantId,
      (file) => compareOrders(file.order_to, from) > 0 && compareOrders(file.order_from, to) < 0,
    );
    const archived: AuditRecord[] = [];
    for (const file of files) {
      for (const { before, checkpoint, records } of await this.#archive.readFile(file)) {
        const begin = before?.orderTo ?? firstOrder;
        if (compareOrders(begin, from) >= 0 && compareOrders(checkpoint.orderTo, to) <= 0) archived.push(...records);
      }
    }
    return archived.length === 0 ? stored : merge(stored, archived).toSorted(compareRecords);
  }

  override async findRecord(tenantId: string, id: string, createdAt?: Date): Promise<AuditRecord | undefined> {
    const stored = await super.findRecord(tenantId, id, createdAt);
    if (stored !== undefined) return stored;
    for await (const record of this.#archivedRecords(tenantId, createdAt === undefined ? undefined : [createdAt])) {
      if (record.id === id) return record;
    }
    return undefined;
  }

  override async findRecords(tenantId: string, keys: readonly RecordKey[]): Promise<AuditRecord[]> {
    const stored = await super.findRecords(tenantId, keys);
    if (stored.length >= keys.length) return stored;
    const wanted = new Set(keys.map(({ id, entityId }) => `${id} ${entityId}`));
    const found: AuditRecord[] = [];
    const times = keys.map(({ createdAt }) => createdAt);
    for await (const record of this.#archivedRecords(tenantId, times)) {
      if (wanted.has(`${record.id} ${record.entity_id}`)) found.push(record);
    }
    return merge(stored, found);
  }

  /** Lists the months of a tenant's log that are no longer in the database. */
  listMonthsDropped(tenantId: string) {
    return listMonthsDropped(this.#database, tenantId);
  }

  /**
   * Lists the archived files of months that are no longer in the database. Throws if the archive does not have the whole
   * log from its oldest month on: somebody may have removed a month, or replaced one by an older archive of it.
   */
  async droppedFiles(tenantId: string, isWanted: (file: FileOfMonth) => boolean): Promise<readonly FileOfMonth[]> {
    const known = this.#dropped.get(tenantId) ?? this.#findDropped(tenantId);
    this.#dropped.set(tenantId, known);
    return (await known).filter(isWanted);
  }

  async #findDropped(tenantId: string): Promise<readonly FileOfMonth[]> {
    const whole = await this.#archive.listFiles(tenantId);
    const [oldest] = whole;
    if (oldest === undefined) return [];
    const ends = new Set(whole.map(({ month, last, root }) => `${month}-01 ${last} ${root}`));
    const dropped = await this.listMonthsDropped(tenantId);
    for (const { month, number, root } of dropped) {
      if (month < oldest.month || ends.has(`${month} ${number} ${root}`)) continue;
      const what = `The end of ${month.slice(0, 7)} of tenant ${tenantId}`;
      const damage = new DamagedArchiveError(`${what} is neither in the database nor in ${this.#archive.name}.`);
      await this.#archive.orDamage(undefined, () => Promise.reject(damage));
    }
    const months = new Set(dropped.map(({ month }) => month));
    return whole.filter(({ month }) => months.has(`${month}-01`));
  }

  async *#archivedRecords(tenantId: string, times: readonly Date[] | undefined): AsyncGenerator<AuditRecord> {
    const months = times === undefined ? undefined : new Set(times.map((time) => monthOf(time.getTime()).slice(0, 7)));
    const files = await this.droppedFiles(tenantId, ({ month }) => months?.has(month) ?? true);
    for (const file of files) for (const { records } of await this.#archive.readFile(file)) yield* records;
  }
}

/** Adds archived records, except those that were also read from the database just before their month was dropped. */
function merge(stored: AuditRecord[], archived: readonly AuditRecord[]): AuditRecord[] {
  const known = new Set(stored.map(nameOf));
  return [...stored, ...archived.filter((record) => !known.has(nameOf(record)))];
}

function nameOf({ id, entity_id }: AuditRecord): string {
  return `${id} ${entity_id}`;
}
