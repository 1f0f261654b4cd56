import { isPartlyRead, isUnread } from '../../../core/evidence/fact-tally.ts';
import type { EvidenceFact, EvidenceView } from '../bundle/evidence-schema.ts';
import { toChangeSentence } from './change-sentence.ts';
import { compareAffected, compareFigures, type FactDifference, type FactState } from './fact-difference.ts';

/** What happened to a fact, in the order in which changes are listed. */
export const changeKinds = ['new-failure', 'unread', 'vanished', 'worse', 'better', 'appeared', 'different'] as const;
export type ChangeKind = (typeof changeKinds)[number];
/** A fact of these kinds fails now, or nobody can tell that it does not. */
const failing: ReadonlySet<ChangeKind> = new Set<ChangeKind>(['new-failure', 'unread', 'vanished']);

/** A fact that is not the same in two bundles. */
export interface EvidenceChange extends FactDifference {
  readonly fact: string;
  readonly requirements: string;
  readonly kind: ChangeKind;
  readonly earlier: FactState | null;
  readonly later: FactState | null;
  readonly sentence: string;
  readonly to_do: string | null;
}

export interface EvidenceComparison {
  /** False if a fact fails that did not fail before, could not be read or is missing. */
  readonly ok: boolean;
  readonly changes: readonly EvidenceChange[];
  readonly unchanged: number;
  /** The facts that failed before and still do. */
  readonly still_failing: readonly string[];
}

/** Says per fact what changed between two bundles, the new failures first. Times of reading are no change. */
export function compareEvidence(earlier: EvidenceView, later: EvidenceView): EvidenceComparison {
  const before = factsOf(earlier);
  const now = factsOf(later);
  const changes: EvidenceChange[] = [];
  for (const id of new Set([...now.keys(), ...before.keys()])) {
    const change = compareFact(before.get(id), now.get(id));
    if (change !== undefined) changes.push(change);
  }
  const stillFailing = [...now.values()].filter(
    ({ fact }) => fact.verdict === 'fails' && before.get(fact.id)?.fact.verdict === 'fails',
  );
  return {
    ok: !changes.some(({ kind }) => failing.has(kind)),
    changes: changes.toSorted((a, b) => changeKinds.indexOf(a.kind) - changeKinds.indexOf(b.kind)),
    unchanged: new Set([...now.keys(), ...before.keys()]).size - changes.length,
    still_failing: stillFailing.map(({ fact }) => fact.id),
  };
}

interface FactOfRow {
  readonly fact: EvidenceFact;
  readonly requirements: string;
}

function factsOf({ rows }: EvidenceView): ReadonlyMap<string, FactOfRow> {
  return new Map(
    rows.flatMap(({ facts, requirements }) => facts.map((fact) => [fact.id, { fact, requirements }] as const)),
  );
}

function compareFact(before: FactOfRow | undefined, now: FactOfRow | undefined): EvidenceChange | undefined {
  const known = now ?? before;
  if (known === undefined) return undefined;
  const difference = toDifference(before?.fact, now?.fact);
  const [earlier, later] = [toState(before?.fact), toState(now?.fact)];
  const isSame = earlier === later && before?.fact.sentence === now?.fact.sentence && isEmpty(difference);
  if (isSame) return undefined;
  return {
    fact: known.fact.id,
    requirements: known.requirements,
    kind: toKind(earlier, later),
    earlier,
    later,
    ...difference,
    sentence: toChangeSentence({ before: before?.fact, now: now?.fact, earlier, later, difference }),
    to_do: now?.fact.to_do ?? null,
  };
}

function toState(fact: EvidenceFact | undefined): FactState | null {
  if (fact === undefined) return null;
  return isUnread(fact.sentence) ? 'unread' : fact.verdict;
}

const order = { holds: 0, attention: 1, fails: 2 } as const;

function toKind(earlier: FactState | null, later: FactState | null): ChangeKind {
  if (later === null) return 'vanished';
  if (later === 'fails' && earlier !== 'fails') return 'new-failure';
  if (later === 'unread') return 'unread';
  if (earlier === null) return 'appeared';
  if (earlier === later) return 'different';
  if (earlier === 'unread') return later === 'holds' ? 'better' : 'worse';
  return order[later] > order[earlier] ? 'worse' : 'better';
}

const nothing: FactDifference = { figure: [], newly_affected: [], no_longer_affected: [] };

/** Returns no difference of numbers that were not read in whole. They would seem to have fallen. */
function toDifference(before: EvidenceFact | undefined, now: EvidenceFact | undefined): FactDifference {
  if (before === undefined || now === undefined) return nothing;
  if ([before, now].some(({ sentence }) => isUnread(sentence) || isPartlyRead(sentence))) return nothing;
  return { ...compareAffected(before, now), figure: compareFigures(before, now) };
}

function isEmpty({ figure, newly_affected: more, no_longer_affected: fewer }: FactDifference): boolean {
  return figure.length + more.length + fewer.length === 0;
}
