import type { TenantId } from '../../core/identity/ids.ts';
import { entityTypes } from '../../platform/audit/audit-event.ts';
import type { SqlValue, Transaction } from '../../platform/database/database.ts';
import type { Log, LogCursor, LogFilter } from './log.ts';
import { splitTime } from './time-grains.ts';

const columns = `r.id, r.actor_id as "actorId", r.actor_type as "actorType", r.entity_type as "entityType",
  r.entity_id as "entityId", r.operation, r.outcome, r.created_at as "createdAt"`;
const newestFirst = 'order by r.created_at desc, r.id desc';

/** Of one entity records are counted up to here; more than that nobody pages through. */
export const entityCountMax = 10_000;
/** The sealer may move on between the two looks at how far it is; it does so twice a second at most. */
const countTriesMax = 3;

/**
 * One index serves every kind of entity: the newest of each kind are taken from it, and the newest of those are the page.
 * Only for them the rest of the record is read, so that a late page costs little more than the first.
 */
function listByKind(of: { where: string; limit: string; offset: string; types: string }): string {
  return `select ${columns} from (
      select found.* from unnest(${of.types}::text[]) as kind(entity_type) cross join lateral (
        select r.entity_type, r.created_at, r.id, r.entity_id from audit_records r
        where r.tenant_id = $1 and r.entity_type = kind.entity_type ${of.where} ${newestFirst} limit ${of.limit}::bigint + ${of.offset}) found
      order by found.created_at desc, found.id desc limit ${of.limit} offset ${of.offset}) page
    join audit_records r on r.tenant_id = $1 and r.entity_type = page.entity_type and r.created_at = page.created_at
      and r.id = page.id and r.entity_id = page.entity_id
    ${newestFirst}`;
}

export class LogStore {
  readonly #tx: Transaction;
  readonly #tenantId: TenantId;

  constructor(tx: Transaction, tenantId: TenantId) {
    this.#tx = tx;
    this.#tenantId = tenantId;
  }

  /** Newest first. */
  list(filter: LogFilter, slice: { offset: number; limit: number; after: LogCursor | undefined }): Promise<Log[]> {
    const values: SqlValue[] = [this.#tenantId];
    const parameter = (value: SqlValue) => `$${values.push(value)}`;
    const conditions = this.#conditions(filter, parameter);
    if (slice.after !== undefined) {
      const { createdAt, id } = slice.after;
      conditions.push(`(r.created_at, r.id) < (${parameter(createdAt)}::timestamptz, ${parameter(id)}::uuid)`);
    }
    const limit = parameter(slice.limit);
    const offset = parameter(slice.offset);
    const where = conditions.map((condition) => `and ${condition}`).join(' ');
    const text =
      filter.entityId === undefined
        ? listByKind({ where, limit, offset, types: parameter(typesOf(filter)) })
        : `select ${columns} from audit_records r where r.tenant_id = $1 ${where} ${newestFirst} limit ${limit} offset ${offset}`;
    return this.#tx.query({ text, values });
  }

  /** Adds up the counters of what is sealed and counts the few records that are not; of one entity it counts up to a limit. */
  async count(filter: LogFilter): Promise<number> {
    if (filter.entityId !== undefined) return this.#countOfEntity(filter);
    for (let attempt = 1; ; attempt += 1) {
      const sealedTo = await this.#sealedTo();
      const total = (await this.#countSealed(filter, sealedTo)) + (await this.#countUnsealed(filter, sealedTo));
      if (attempt === countTriesMax || (await this.#sealedTo()) === sealedTo) return total;
    }
  }

  async #countOfEntity(filter: LogFilter): Promise<number> {
    const values: SqlValue[] = [this.#tenantId];
    const conditions = this.#conditions(filter, (value) => `$${values.push(value)}`);
    const where = conditions.map((condition) => `and ${condition}`).join(' ');
    return this.#number(
      `select count(*)::float8 as n from (select 1 from audit_records r where r.tenant_id = $1 ${where} limit ${entityCountMax}) counted`,
      values,
    );
  }

  async #countSealed(filter: LogFilter, sealedTo: string): Promise<number> {
    const from = filter.from?.getTime() ?? Number.NEGATIVE_INFINITY;
    const to = filter.to?.getTime() ?? Number.POSITIVE_INFINITY;
    const segments = splitTime(from, to);
    const counted = segments.filter(({ grain }) => grain !== 'none');
    const values: SqlValue[] = [this.#tenantId, typesOf(filter)];
    // A range of the index each: joined to a list of ranges, PostgreSQL would read all counters of a grain.
    const sums = counted.map(
      ({ grain, from: since, to: until }) => `coalesce((select sum(c.records) from audit_counts c
        where c.tenant_id = $1 and c.grain = '${grain}' and c.entity_type = any($2)
          and c.bucket >= $${values.push(toSqlTime(since))} and c.bucket < $${values.push(toSqlTime(until))}), 0)`,
    );
    let total = sums.length === 0 ? 0 : await this.#number(`select (${sums.join(' + ')})::float8 as n`, values);
    for (const edge of segments.filter(({ grain }) => grain === 'none')) {
      total += await this.#number(
        `select count(*)::float8 as n from audit_records r where r.tenant_id = $1 and r.entity_type = any($2)
          and r.created_at >= $3 and r.created_at < $4 and r.sealing_order < $5`,
        [this.#tenantId, typesOf(filter), toSqlTime(edge.from), toSqlTime(edge.to), sealedTo],
      );
    }
    return total;
  }

  async #countUnsealed(filter: LogFilter, sealedTo: string): Promise<number> {
    const values: SqlValue[] = [this.#tenantId, sealedTo, typesOf(filter)];
    const conditions = this.#conditions({ ...filter, entityType: undefined }, (value) => `$${values.push(value)}`);
    const where = conditions.map((condition) => `and ${condition}`).join(' ');
    return this.#number(
      `select count(*)::float8 as n from audit_records r
        where r.sealing_order >= $2 and r.tenant_id = $1 and r.entity_type = any($3) ${where}`,
      values,
    );
  }

  #conditions(filter: LogFilter, parameter: (value: SqlValue) => string): string[] {
    const { entityId, entityType, from, to } = filter;
    return [
      ...(entityId === undefined ? [] : [`r.entity_id = ${parameter(entityId)}`]),
      ...(entityId === undefined || entityType === undefined ? [] : [`r.entity_type = ${parameter(entityType)}`]),
      ...(from === undefined ? [] : [`r.created_at >= ${parameter(toSqlTime(from.getTime()))}::timestamptz`]),
      ...(to === undefined ? [] : [`r.created_at < ${parameter(toSqlTime(to.getTime()))}::timestamptz`]),
    ];
  }

  async #sealedTo(): Promise<string> {
    const [row] = await this.#tx.query<{ sealed_to: string }>({
      name: 'log-sealed-to',
      text: 'select sealed_to::text from audit_sealing',
    });
    return row?.sealed_to ?? '0';
  }

  async #number(text: string, values: readonly SqlValue[]): Promise<number> {
    const [row] = await this.#tx.query<{ n: number }>({ text, values });
    return row?.n ?? 0;
  }
}

function typesOf({ entityType }: LogFilter): readonly string[] {
  return entityType === undefined ? entityTypes : [entityType];
}

const earliest = new Date('0001-01-01T00:00:00Z').getTime();
const latest = new Date('9999-12-31T23:59:59.999Z').getTime();

/** With an offset, a time can lie outside of the years that are written with four digits: before or after everything. */
function toSqlTime(milliseconds: number): string {
  if (milliseconds > latest) return 'infinity';
  return milliseconds < earliest ? '-infinity' : new Date(milliseconds).toISOString();
}
