import type { Cluster } from '../stage/cluster.ts';
import type { Tenant } from '../load/tenant.ts';
import { until } from '../stage/until.ts';
import { numberOf } from '../load/token-lives.ts';

const referencesPerRequest = 100;

/** A token as read after everything has healed. */
export interface FinalToken {
  readonly id: string;
  readonly type: string;
  readonly fingerprint: string | null;
  /** The number of its value, or −1 if the value has no number. */
  readonly value: number;
}

export interface FinalRecord {
  readonly trace: string;
  readonly entityType: string;
  readonly entityId: string;
  readonly operation: string;
  readonly outcome: string;
}

/** The final state of the vault. Rows come from the database, values from the API. */
export interface FinalState {
  readonly tokens: ReadonlyMap<string, FinalToken>;
  /** The records by request id. */
  readonly records: ReadonlyMap<string, readonly FinalRecord[]>;
  readonly mailedTo: ReadonlySet<string>;
}

export async function readFinalState(cluster: Cluster, tenant: Tenant): Promise<FinalState> {
  const rows = await cluster.query<{ id: string; type: string; fingerprint: string | null }>(
    `select id, type, fingerprint from tokens where tenant_id = '${tenant.id}'`,
  );
  const records = await cluster.query<FinalRecord & { trace: string | null }>(
    `select request_id as trace, entity_type as "entityType", entity_id as "entityId", operation, outcome
     from audit_records where tenant_id = '${tenant.id}'`,
  );
  const values = await readValues(
    cluster,
    tenant,
    rows.filter(({ type }) => type === 'token').map(({ id }) => id),
  );
  return {
    tokens: new Map(rows.map((row) => [row.id, { ...row, value: values.get(row.id) ?? -1 }])),
    records: Map.groupBy(records, ({ trace }) => trace ?? ''),
    mailedTo: new Set(cluster.outside.mail.mails.flatMap(({ to }) => to)),
  };
}

/** Reads every token through the API. A token that cannot be read fails the run. */
async function readValues(cluster: Cluster, tenant: Tenant, ids: readonly string[]): Promise<Map<string, number>> {
  const values = new Map<string, number>();
  for (let from = 0; from < ids.length; from += referencesPerRequest) {
    const chunk = ids.slice(from, from + referencesPerRequest);
    const texts = await detokenize(cluster, tenant, chunk);
    chunk.forEach((id, index) => values.set(id, numberOf(texts[index])));
  }
  return values;
}

/** Retries for a while, because Patroni may still change the synchronous standby after the last fault. */
async function detokenize(cluster: Cluster, tenant: Tenant, ids: readonly string[]): Promise<unknown[]> {
  let texts: unknown[] = [];
  let refusal = '';
  await until('values to be readable', 60, async () => {
    const response = await fetch(`${cluster.url}/detokenize`, {
      method: 'POST',
      headers: { 'bt-api-key': tenant.private, 'content-type': 'application/json' },
      body: JSON.stringify(ids.map((id) => `{{ ${id} }}`)),
    });
    const text = await response.text();
    if (response.status === 200) texts = JSON.parse(text) as unknown[];
    else refusal = `${response.status} ${text}`;
    return response.status === 200;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)} ${refusal}`, { cause: error });
  });
  return texts;
}
