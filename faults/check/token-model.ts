import type { Entry } from '../load/history.ts';
import type { Check } from './check.ts';

interface Write {
  readonly value: number | 'gone';
  readonly startedAt: number;
  /** The time from which the write is certain to have happened. Infinity if its outcome is unknown. */
  doneAt: number;
}

type Reading = Pick<Entry, 'startedAt' | 'endedAt'>;

const writes = new Set(['create', 'patch', 'delete']);

/**
 * Checks the token values that readers see. Each token is written by a single client, one request at a time. A reader
 * may see any value that was sent before the read ended, unless a later value was certain before the read began. A
 * value is certain from the first time that it was seen.
 */
export const tokensCheck: Check = {
  name: 'every token has its last acknowledged value',
  run: ({ entries, state }) => {
    const findings: string[] = [];
    const about = entries.filter(
      ({ operation, facts }) => (writes.has(operation) || operation === 'get') && facts['id'],
    );
    for (const [id, ofToken] of Map.groupBy(about, ({ facts }) => String(facts['id']))) {
      const history = writesIn(ofToken);
      for (const entry of ofToken.filter(({ operation }) => operation === 'get').toSorted(byEnd)) {
        const seen = seenBy(entry);
        if (seen === undefined) continue;
        const complaint = judge(history, seen, entry);
        if (complaint !== undefined) findings.push(`${id}: a reader saw ${seen}, ${complaint}`);
        // The write is certain from now on. If several writes could have produced the value, only the first is marked.
        const write = possible(history, seen, entry);
        if (write !== undefined) write.doneAt = Math.min(write.doneAt, entry.endedAt);
      }
      const last = state.tokens.get(id)?.value ?? 'gone';
      const complaint = judge(history, last, {
        startedAt: Number.POSITIVE_INFINITY,
        endedAt: Number.POSITIVE_INFINITY,
      });
      if (complaint !== undefined) findings.push(`${id}: in the end it is ${last}, ${complaint}`);
    }
    return findings;
  },
};

/**
 * Returns the writes in the order in which they were sent, after an initial entry for the missing token. Refused writes
 * are left out because they had no effect.
 */
function writesIn(entries: readonly Entry[]): Write[] {
  const sent = entries
    .filter(({ operation, outcome }) => writes.has(operation) && outcome !== 'refused')
    .toSorted((one, other) => one.startedAt - other.startedAt);
  const nothing: Write = { value: 'gone', startedAt: 0, doneAt: 0 };
  return [
    nothing,
    ...sent.map(
      ({ operation, outcome, startedAt, endedAt, facts }): Write => ({
        value: operation === 'delete' ? 'gone' : Number(facts['value']),
        startedAt,
        doneAt: outcome === 'done' ? endedAt : Number.POSITIVE_INFINITY,
      }),
    ),
  ];
}

function seenBy({ status, outcome, facts }: Entry): number | 'gone' | undefined {
  if (outcome === 'done') return Number(facts['value']);
  return status === 404 ? 'gone' : undefined;
}

/** Returns why a reader cannot have seen the value at that time, or undefined if it is possible. */
function judge(history: readonly Write[], seen: number | 'gone', reading: Reading): string | undefined {
  if (possible(history, seen, reading) !== undefined) return undefined;
  const known = history.some(({ value }) => value === seen);
  return known
    ? `but ${String(history[certainBefore(history, reading.startedAt)]?.value)} was certain by then`
    : 'which nobody sent or which was refused';
}

/**
 * Returns the first write whose value a reader can have seen at that time. The value `gone` can match twice: before the
 * create and after the delete.
 */
function possible(history: readonly Write[], seen: number | 'gone', reading: Reading): Write | undefined {
  const certain = certainBefore(history, reading.startedAt);
  return history.find(
    ({ value, startedAt }, index) => value === seen && index >= certain && startedAt <= reading.endedAt,
  );
}

function certainBefore(history: readonly Write[], time: number): number {
  return history.findLastIndex(({ doneAt }) => doneAt < time);
}

function byEnd(one: Entry, other: Entry): number {
  return one.endedAt - other.endedAt;
}

/**
 * Checks all other kinds of creates. Acknowledged ones must exist, refused ones must not, and documents must be stored
 * completely or not at all.
 */
export const createsCheck: Check = {
  name: 'what was acknowledged is there, and what was refused is not',
  run: ({ entries, state }) => {
    const findings: string[] = [];
    for (const { operation, outcome, facts } of entries) {
      if (!['card', 'session-use', 'tokenize'].includes(operation)) continue;
      const ids = (facts['ids'] as readonly string[] | undefined) ?? [String(facts['id'])];
      const there = ids.filter((id) => state.tokens.has(id)).length;
      if (outcome === 'done' && there < ids.length)
        findings.push(`${operation} of ${ids.join()} was acknowledged and is gone`);
      if (outcome === 'refused' && there > 0) findings.push(`${operation} of ${ids.join()} was refused and is there`);
      if (there !== 0 && there !== ids.length) findings.push(`${operation}: only ${there} of ${ids.join()} are there`);
      for (const id of ids) {
        const value = state.tokens.get(id)?.value;
        if (operation !== 'card' && value !== undefined && value !== 0)
          findings.push(`${id} has another value than was sent`);
      }
    }
    return findings;
  },
};
