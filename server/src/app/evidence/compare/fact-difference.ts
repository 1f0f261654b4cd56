import type { EvidenceFact } from '../bundle/evidence-schema.ts';

type AffectedView = EvidenceFact['affected'][number];

/** The verdict of a fact, or that it could not be read. */
export type FactState = EvidenceFact['verdict'] | 'unread';

/** A number of a fact that changed. Null if that bundle does not have it. */
export interface FigureChange {
  readonly name: string;
  readonly earlier: number | null;
  readonly later: number | null;
}

/** How the numbers of a fact, and what it is about, changed. */
export interface FactDifference {
  readonly figure: readonly FigureChange[];
  readonly newly_affected: readonly AffectedView[];
  readonly no_longer_affected: readonly AffectedView[];
}

/** Lists the numbers that changed. How many are affected is one of them if not all are listed. */
export function compareFigures(before: EvidenceFact, now: EvidenceFact): FigureChange[] {
  const names = new Set([...Object.keys(now.figure), ...Object.keys(before.figure)]);
  const figures = [...names].map((name) => ({
    name,
    earlier: before.figure[name] ?? null,
    later: now.figure[name] ?? null,
  }));
  const isListed = [before, now].every(listsAll);
  const affected = { name: 'affected', earlier: before.affected_total, later: now.affected_total };
  return [...figures, ...(isListed ? [] : [affected])].filter(
    ({ earlier, later }) => toFigureText(earlier) !== toFigureText(later),
  );
}

/** Lists what came to be affected and what no longer is. If a list is cut short, nobody can tell. */
export function compareAffected(before: EvidenceFact, now: EvidenceFact): Omit<FactDifference, 'figure'> {
  if (![before, now].every(listsAll)) return { newly_affected: [], no_longer_affected: [] };
  return { newly_affected: without(now, before), no_longer_affected: without(before, now) };
}

/** Returns a number as sentences have it. Numbers that look the same did not change. */
export function toFigureText(value: number | null): string {
  return value === null ? 'none' : value.toLocaleString('en', { maximumFractionDigits: 1 });
}

function listsAll({ affected, affected_total: total }: EvidenceFact): boolean {
  return affected.length === total;
}

function without(these: EvidenceFact, those: EvidenceFact): AffectedView[] {
  const known = new Set(those.affected.map(toKey));
  return these.affected.filter((one) => !known.has(toKey(one)));
}

function toKey({ tenant_id: tenant, kind, id }: AffectedView): string {
  return JSON.stringify([tenant, kind, id]);
}
