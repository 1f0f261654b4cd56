import type { Entry } from '../load/history.ts';
import type { FinalRecord } from './final-state.ts';
import type { Check } from './check.ts';

/**
 * The audit records of each acknowledged operation, as `entity type:operation:outcome`, repeated if there are several.
 */
const expected: Readonly<Record<string, readonly string[]>> = {
  create: ['token:create:success'],
  get: ['token:read:success'],
  patch: ['token:update:success'],
  delete: ['token:delete:success'],
  tokenize: ['token:create:success', 'token:create:success', 'token:create:success'],
  card: ['card:create:success'],
  code: ['card:read:success'],
  invitation: ['invitation:create:success'],
  'session-create': ['session:create:success'],
  'session-authorize': ['session:authorize:success'],
  'session-use': ['token:create:success'],
  'key-create': ['application:update:success'],
  'key-use': ['application:read:success'],
  'key-revoke': ['application:update:success'],
};

/**
 * Every acknowledged operation must have exactly its records, and no record may claim an operation that did not happen.
 */
export const recordsCheck: Check = {
  name: 'every acknowledged operation has exactly its records',
  run: ({ entries, state }) => {
    const findings: string[] = [];
    for (const entry of entries) {
      const records = (state.records.get(entry.trace) ?? []).map(textOf).toSorted();
      const wanted = expectedOf(entry, records)?.toSorted();
      if (entry.outcome === 'done' && wanted !== undefined && String(records) !== String(wanted)) {
        findings.push(`${entry.operation} ${entry.trace} has [${records.join()}] instead of [${wanted.join()}]`);
      }
      const claims = records.filter((record) => /:(?:create|update|delete|authorize):success$/.test(record));
      if (entry.outcome === 'refused' && claims.length > 0) {
        findings.push(
          `${entry.operation} ${entry.trace} was refused (${entry.status}) but is recorded: ${claims.join()}`,
        );
      }
    }
    return findings;
  },
};

/** An operation with an unknown outcome must be recorded if and only if it happened. */
export const uncertainCheck: Check = {
  name: 'what is uncertain happened with its record or not at all',
  run: ({ entries, state }) => {
    const findings: string[] = [];
    const created = entries.filter(({ operation }) =>
      ['create', 'card', 'session-use', 'tokenize'].includes(operation),
    );
    const deleted = new Set(entries.filter(({ operation }) => operation === 'delete').map(({ facts }) => facts['id']));
    for (const { operation, trace, outcome, facts } of created) {
      const ids = (facts['ids'] as readonly string[] | undefined) ?? [String(facts['id'])];
      if (outcome !== 'unknown' || ids.some((id) => deleted.has(id))) continue;
      const isThere = ids.some((id) => state.tokens.has(id));
      const isRecorded = (state.records.get(trace) ?? []).some(({ outcome }) => outcome === 'success');
      if (isThere !== isRecorded) {
        findings.push(
          `${operation} of ${ids.join()} is ${isThere ? 'there' : 'not there'} and ${isRecorded ? '' : 'not '}recorded`,
        );
      }
    }
    return findings;
  },
};

function expectedOf({ operation, facts, status }: Entry, records: readonly string[]): readonly string[] | undefined {
  if (operation === 'proxy') {
    // The intent is recorded before a call is sent, and the outcome afterwards. If recording the outcome fails, a
    // worker later records that it is unknown.
    const ends = records.filter((record) => /^proxy:invoke:(?:success|unknown)$/.test(record)).slice(0, 1);
    return ['proxy:invoke:intent', 'token:read:success', ...ends];
  }
  if (operation === 'search') {
    const found = (facts['found'] as readonly string[] | undefined) ?? [];
    return ['token:search:success', ...found.map(() => 'token:read:success')];
  }
  if (operation === 'deduplicate') return [status === 201 ? 'token:create:success' : 'token:read:success'];
  return expected[operation];
}

function textOf({ entityType, operation, outcome }: FinalRecord): string {
  return `${entityType}:${operation}:${outcome}`;
}
