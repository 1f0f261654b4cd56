/** What the work takes on a quiet machine with two processors of 2.5 GHz, in milliseconds of a processor. */
const usualMs = 4.5;
const rounds = 40;
const text = JSON.stringify(
  Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`member ${index}`, index])),
);

/**
 * How many times more of the processor the same work takes now than on a quiet machine; at least one. Neighbours on the same
 * host slow a machine down without showing up in any of its own counts: they share caches and cores with it.
 */
export function slownessOfMachine(): number {
  const before = process.threadCpuUsage();
  for (let round = 0; round < rounds; round += 1) work();
  // Over all rounds: the clock of a thread is too coarse for one of them.
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(1, (user + system) / 1_000 / rounds / usualMs);
}

/** Like that of a request: parsing, walking, writing. */
function work(): void {
  const members = JSON.parse(text) as Record<string, number>;
  let sum = 0;
  for (const name of Object.keys(members)) sum += (members[name] ?? 0) + name.length;
  if (JSON.stringify(members).length !== text.length || sum === 0) throw new Error('The work was not done.');
}
