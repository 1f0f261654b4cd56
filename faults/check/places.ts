import type { Check } from './check.ts';

/** Every drawer is held by one database, every token lies in the one that holds its drawer, and no move is left half done. */
export const placesCheck: Check = {
  name: 'every token lies in one database, which is the one that holds its drawer',
  run: async ({ cluster }) => {
    const findings: string[] = [];
    const holders = new Map<number, string[]>();
    for (const place of cluster.places) {
      const held = await place.query<{ drawer: number }>(
        'select drawer from generate_series(0, 4095) as drawer, held_drawers where get_bit(held, drawer) = 1',
      );
      for (const { drawer } of held) holders.set(drawer, [...(holders.get(drawer) ?? []), place.name]);
      const [row] = await place.query<{ strange: number; unfinished: number }>(`select
        (select count(*)::int from tokens, held_drawers where get_bit(held, drawer_of(id)) = 0) as strange,
        (select count(*)::int from drawer_moves where finished_at is null) as unfinished`);
      if (row === undefined) throw new Error(`${place.name} says nothing.`);
      if (row.strange > 0) findings.push(`${place.name} has ${row.strange} tokens in drawers that it does not hold`);
      if (row.unfinished > 0) findings.push(`${place.name} has ${row.unfinished} moves that are not finished`);
    }
    if (holders.size < 4_096) findings.push(`${4_096 - holders.size} drawers are held by nobody`);
    const shared = [...holders.values()].filter((names) => names.length > 1).length;
    if (shared > 0) findings.push(`${shared} drawers are held by several databases`);
    return findings;
  },
};
