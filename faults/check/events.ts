import { batchesPath, singlePath } from '../load/webhooks.ts';
import type { Check } from './check.ts';

/** The events of each acknowledged operation, repeated if there are several of a type. */
const expected: Readonly<Record<string, readonly string[]>> = {
  create: ['token.created'],
  get: ['token.read'],
  patch: ['token.updated'],
  delete: ['token.deleted'],
  tokenize: ['token.created', 'token.created', 'token.created'],
  card: ['token.created'],
  invitation: ['tenant.invitation.created'],
  'session-create': ['session.created'],
  'session-authorize': ['session.authorized'],
  'session-use': ['token.created'],
};
const singleTypes = new Set(['token.updated', 'token.deleted', 'tenant.invitation.created']);

/**
 * Every event of an acknowledged operation arrives, nothing arrives that is not in the log, and what is repeated has the
 * `webhook-id` that it had before.
 */
export const eventsCheck: Check = {
  name: 'every event arrives at the webhooks',
  run: async ({ entries, cluster, tenant, marker, say }) => {
    if (!tenant.hasWebhooks) return [];
    const findings: string[] = [];
    for (const path of [batchesPath, singlePath]) {
      const messages = cluster.outside.events.at(path);
      const arrived = new Map(messages.flatMap(({ events }) => events.map((event) => [event.id, event] as const)));
      const byTrace = Map.groupBy(arrived.values(), ({ trace_id: trace }) => trace ?? '');
      for (const { operation, trace, outcome } of entries) {
        const all = outcome === 'done' ? (expected[operation] ?? []) : [];
        const wanted = path === batchesPath ? all : all.filter((type) => singleTypes.has(type));
        const types = (byTrace.get(trace) ?? []).map(({ type }) => type);
        for (const type of new Set(wanted)) {
          const count = (of: readonly string[]) => of.filter((each) => each === type).length;
          if (count(types) !== count(wanted))
            findings.push(`${operation} ${trace} has ${count(types)} events ${type} at ${path}, not ${count(wanted)}`);
        }
      }
      const logged = await cluster.query<{ id: string }>(
        `select id from audit_records where tenant_id = '${tenant.id}'`,
      );
      const known = new Set(logged.map(({ id }) => id));
      for (const { id, type } of arrived.values()) {
        if (!known.has(id)) findings.push(`${type} ${id} arrived, but is not in the log`);
      }
      const ids = Map.groupBy(messages, ({ events }) => events.map(({ id }) => id).join());
      for (const [events, same] of ids) {
        const seen = new Set(same.map(({ headers }) => headers['webhook-id']));
        if (seen.size !== 1) findings.push(`the events ${events} arrived as ${[...seen].join(' and ')}`);
      }
      if (messages.some(({ body }) => body.includes(marker))) findings.push(`a value arrived at ${path}`);
      say(`${path}: ${arrived.size} events in ${messages.length} requests, ${messages.length - ids.size} repeated`);
    }
    return findings;
  },
};
