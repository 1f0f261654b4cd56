/** The CPU milliseconds that the work takes on a quiet machine with two 2.5 GHz processors. */
const usualMs = 4.5;
const rounds = 40;
const text = JSON.stringify(
  Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`member ${index}`, index])),
);

/**
 * Returns how many times more CPU time the same work takes now than on a quiet machine, at least 1. Neighbours on the
 * same host share caches and cores, so they slow a machine down without showing up in its own counters.
 */
export function slownessOfMachine(): number {
  const before = process.threadCpuUsage();
  for (let round = 0; round < rounds; round += 1) work();
  // The time is measured over all rounds, because the thread clock is too coarse for a single one.
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(1, (user + system) / 1_000 / rounds / usualMs);
}

/** Does work like that of a request: parsing, traversing and serializing JSON. */
function work(): void {
  const members = JSON.parse(text) as Record<string, number>;
  let sum = 0;
  for (const name of Object.keys(members)) sum += (members[name] ?? 0) + name.length;
  if (JSON.stringify(members).length !== text.length || sum === 0) throw new Error('The work was not done.');
}
