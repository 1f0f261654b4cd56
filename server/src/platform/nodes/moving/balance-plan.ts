/** How many drawers go from one database to another. */
export interface PlannedMove {
  readonly from: string;
  readonly to: string;
  readonly drawers: number;
}

/**
 * The fewest drawers to move so that all databases hold as many, within one; those that are to hold none give all they have. Those that
 * hold the most may keep one more, so that none is moved for that.
 */
export function planBalance(held: ReadonlyMap<string, number>, isSparing: (name: string) => boolean): PlannedMove[] {
  const total = [...held.values()].reduce((sum, drawers) => sum + drawers, 0);
  const holders = [...held].filter(([name]) => !isSparing(name)).sort(([, one], [, other]) => other - one);
  if (holders.length === 0) return [];
  const share = Math.floor(total / holders.length);
  const wanted = new Map(holders.map(([name], index) => [name, share + (index < total % holders.length ? 1 : 0)]));
  const excess = [...held].map(([name, drawers]) => ({ name, drawers: drawers - (wanted.get(name) ?? 0) }));
  const givers = excess.filter(({ drawers }) => drawers > 0);
  const takers = excess.filter(({ drawers }) => drawers < 0).map(({ name, drawers }) => ({ name, drawers: -drawers }));
  return pair(givers, takers);
}

interface Share {
  readonly name: string;
  readonly drawers: number;
}

/** Both have the same sum. */
function pair([giver, ...givers]: readonly Share[], [taker, ...takers]: readonly Share[]): PlannedMove[] {
  if (giver === undefined || taker === undefined) return [];
  const drawers = Math.min(giver.drawers, taker.drawers);
  return [
    { from: giver.name, to: taker.name, drawers },
    ...pair(restOf(giver, drawers, givers), restOf(taker, drawers, takers)),
  ];
}

function restOf({ name, drawers }: Share, taken: number, others: readonly Share[]): Share[] {
  return drawers > taken ? [{ name, drawers: drawers - taken }, ...others] : [...others];
}
