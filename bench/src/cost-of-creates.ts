import { parseArgs } from 'node:util';
import type { BenchVault } from './bench-vault.ts';
import { median } from './median.ts';
import { runWrk } from './wrk.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);

interface Measured {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  /** The rate of other counted events during the same period. */
  readonly countedPerSecond: number;
}

export interface CreateCost {
  readonly kind: string;
  readonly creates_per_second: number;
  readonly cpu_us_per_create: number;
  readonly throughput_ratio: number;
  readonly cpu_ratio: number;
  readonly counted_per_second: number;
}

/**
 * Creates tokens in vaults that differ in one setting. The vaults run side by side and take turns, so that a
 * disturbance affects all of them. The order changes with every round. `settle` waits for what a vault does after its turn,
 * so that the next one is not slowed by it. Throughput depends on other load on the machine.
 * The server's processor time per token hardly does, so both are reported. Ratios are relative to `off`. Stops the
 * vaults.
 */
export async function measureCreates(
  vaults: Readonly<Record<string, BenchVault>> & { readonly off: BenchVault },
  count: () => number = () => 0,
  settle: (vault: BenchVault) => Promise<void> = () => Promise.resolve(),
): Promise<CreateCost[]> {
  const kinds = Object.entries(vaults).map(([kind, vault]) => ({ kind, vault, measured: [] as Measured[] }));
  // The first runs compile code and fill caches, so they are not counted.
  for (const { vault } of kinds) {
    await createTokens(vault, 5, count);
    await settle(vault);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < kinds.length; turn += 1) {
      const next = kinds[(round + turn) % kinds.length];
      if (next === undefined) continue;
      next.measured.push(await createTokens(next.vault, Number(values.seconds), count));
      await settle(next.vault);
    }
  }
  for (const { vault } of kinds) await vault.stop();
  const off = kinds.find(({ kind }) => kind === 'off')?.measured ?? [];
  return kinds.map(({ kind, measured }) => toCost(kind, measured, off));
}

/** Prints one line per vault, or everything as JSON. */
export function printCosts(costs: readonly CreateCost[], describe: (cost: CreateCost) => string = () => ''): void {
  if (values.json) process.stdout.write(`${JSON.stringify({ rounds, results: costs })}\n`);
  else for (const cost of costs) process.stdout.write(`${toLine(cost)}${describe(cost)}\n`);
}

async function createTokens(vault: BenchVault, seconds: number, count: () => number): Promise<Measured> {
  const before = { cpu: await vault.cpuMicroseconds(), counted: count() };
  const load = { script: 'create-token', connections: Number(values.connections), seconds };
  const { requests, perSecond } = await runWrk(vault, load);
  return {
    perSecond,
    cpuMicroseconds: ((await vault.cpuMicroseconds()) - before.cpu) / requests,
    countedPerSecond: (count() - before.counted) / seconds,
  };
}

function toCost(kind: string, measured: readonly Measured[], off: readonly Measured[]): CreateCost {
  const medianOf = (name: keyof Measured) => Math.round(median(measured.map((one) => one[name])));
  // Ratios are computed per round, so that a temporary slowdown of the machine affects both numbers.
  const ratioOf = (name: keyof Measured) =>
    median(measured.map((one, round) => one[name] / (off[round]?.[name] ?? Number.NaN)));
  return {
    kind,
    creates_per_second: medianOf('perSecond'),
    cpu_us_per_create: medianOf('cpuMicroseconds'),
    throughput_ratio: ratioOf('perSecond'),
    cpu_ratio: ratioOf('cpuMicroseconds'),
    counted_per_second: medianOf('countedPerSecond'),
  };
}

function toLine({ kind, creates_per_second, cpu_us_per_create, throughput_ratio, cpu_ratio }: CreateCost): string {
  const throughput = `${String(creates_per_second).padStart(6)}/s (${throughput_ratio.toFixed(3)})`;
  return `${kind.padEnd(9)} ${throughput}  ${cpu_us_per_create} µs a create (${cpu_ratio.toFixed(3)})`;
}
