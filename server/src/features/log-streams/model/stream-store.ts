import type { Transaction } from '../../../platform/database/database.ts';

/** What is known about a stream before a pass. */
export interface StreamState {
  readonly failures: number;
  /** How long nothing may be sent yet. */
  readonly waitSeconds: number;
  readonly startedAt: Date;
}

/** A tenant of whose log the receiver has not accepted everything. */
export interface PendingTenant {
  readonly tenantId: string;
  /** The newest checkpoint that was accepted; 0 for none. */
  readonly number: number;
  readonly isBase: boolean;
}

/** A step of a tenant's position. */
export interface PositionStep {
  readonly tenantId: string;
  readonly from: number;
  readonly to: number;
}

/** Another worker has moved a position in the meantime. */
export class PositionMoved extends Error {}

/** Tenants that have checkpoints. It jumps from one to the next along the index. */
const tenantsSql = `with recursive found as (
    (select tenant_id from audit_checkpoints order by tenant_id limit 1)
    union all
    select (select c.tenant_id from audit_checkpoints c where c.tenant_id > found.tenant_id order by c.tenant_id limit 1)
    from found where found.tenant_id is not null
  ), chosen as (select tenant_id from found where tenant_id is not null and ($2::uuid[] is null or tenant_id = any($2)))`;
const newestSql = `cross join lateral (
    select c.number from audit_checkpoints c where c.tenant_id = chosen.tenant_id order by c.number desc limit 1) newest`;
const positionSql = `left join audit_stream_positions p on p.tenant_id = chosen.tenant_id and p.stream = $1`;

/** The progress of one stream. Its tables belong to the role that seals. */
export class StreamStore {
  readonly #tx: Transaction;
  readonly #stream: string;

  constructor(tx: Transaction, stream: string) {
    this.#tx = tx;
    this.#stream = stream;
  }

  /** Creates the stream if it is new. If it begins now, it begins after the newest checkpoint of each tenant. */
  async ensure(start: 'oldest' | 'now', tenants: readonly string[] | undefined): Promise<void> {
    const created = await this.#tx.query({
      text: 'insert into audit_streams (name) values ($1) on conflict (name) do nothing returning name',
      values: [this.#stream],
    });
    if (created.length === 0 || start === 'oldest') return;
    await this.#tx.query({
      text: `${tenantsSql} insert into audit_stream_positions (tenant_id, stream, number, is_base)
        select chosen.tenant_id, $1, newest.number, true from chosen ${newestSql}`,
      values: [this.#stream, tenants ?? null],
    });
  }

  async findState(): Promise<StreamState | undefined> {
    const [row] = await this.#tx.query<StreamState>({
      name: 'log-stream-state',
      text: `select failures, started_at as "startedAt",
          greatest(coalesce(extract(epoch from resume_at - now()), 0), 0)::float8 as "waitSeconds"
        from audit_streams where name = $1`,
      values: [this.#stream],
    });
    return row;
  }

  /** Returns why the last attempt failed; undefined if it did not. */
  async findFailure(): Promise<string | undefined> {
    const [row] = await this.#tx.query<{ reason: string | null }>({
      text: 'select last_error as reason from audit_streams where name = $1',
      values: [this.#stream],
    });
    return row?.reason ?? undefined;
  }

  listPending(tenants: readonly string[] | undefined): Promise<PendingTenant[]> {
    return this.#tx.query<PendingTenant>({
      name: 'log-stream-pending',
      text: `${tenantsSql} select chosen.tenant_id as "tenantId", coalesce(p.number, 0)::float8 as number,
          coalesce(p.is_base, false) as "isBase"
        from chosen ${newestSql} ${positionSql} where newest.number > coalesce(p.number, 0)`,
      values: [this.#stream, tenants ?? null],
    });
  }

  /** Saves what the receiver has accepted. Throws `PositionMoved`, and the caller must roll back, if it was overtaken. */
  async save(steps: readonly PositionStep[]): Promise<void> {
    const moved = await this.#tx.query({
      name: 'log-stream-save',
      text: `insert into audit_stream_positions as p (tenant_id, stream, number)
        select step.tenant_id, $1, step.last from unnest($2::uuid[], $3::bigint[], $4::bigint[]) as step(tenant_id, first, last)
        where step.first = 0 or exists (select from audit_stream_positions k
          where k.tenant_id = step.tenant_id and k.stream = $1 and k.number = step.first)
        on conflict (tenant_id, stream) do update set number = excluded.number, is_base = false
          where p.number = ($3::bigint[])[array_position($2::uuid[], p.tenant_id)]
        returning 1`,
      values: [
        this.#stream,
        steps.map(({ tenantId }) => tenantId),
        steps.map(({ from }) => from),
        steps.map(({ to }) => to),
      ],
    });
    if (moved.length !== steps.length) throw new PositionMoved();
  }

  async noteSuccess(): Promise<void> {
    await this.#tx.query({
      name: 'log-stream-success',
      text: `update audit_streams set delivered_at = now(), failures = 0, failing_since = null, resume_at = null,
          last_error = null
        where name = $1`,
      values: [this.#stream],
    });
  }

  async noteFailure(reason: string, waitSeconds: number): Promise<void> {
    await this.#tx.query({
      name: 'log-stream-failure',
      text: `update audit_streams set failures = least(failures + 1, 1000000),
          failing_since = coalesce(failing_since, now()), resume_at = now() + make_interval(secs => $2::float8),
          last_error = left($3, 500)
        where name = $1`,
      values: [this.#stream, waitSeconds, reason],
    });
  }

  /** Returns the age of the oldest checkpoint that the receiver has not accepted, in seconds; 0 if there is none. */
  async lagSeconds(tenants: readonly string[] | undefined): Promise<number> {
    const [row] = await this.#tx.query<{ seconds: number }>({
      name: 'log-stream-lag',
      text: `${tenantsSql} select greatest(coalesce(extract(epoch from now() - min(next.sealed_at)), 0), 0)::float8 as seconds
        from chosen ${positionSql}
        cross join lateral (
          select c.sealed_at from audit_checkpoints c
          where c.tenant_id = chosen.tenant_id and c.number = coalesce(p.number, 0) + 1) next`,
      values: [this.#stream, tenants ?? null],
    });
    return row?.seconds ?? 0;
  }
}

/** Has workers look at these streams now, or after a delay, unless a stream waits because its receiver failed. */
export async function wakeStreams(tx: Transaction, streams: readonly string[], delaySeconds: number): Promise<void> {
  await tx.query({
    name: 'wake-log-streams',
    text: `select wake_log_streams(array_agg(name), $2) from unnest($1::text[]) as stream(name)
      where $2 > 0 or not exists (select from audit_streams s where s.name = stream.name and s.resume_at > now())
      having count(*) > 0`,
    values: [streams, delaySeconds],
  });
}
