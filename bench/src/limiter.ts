import { parseArgs } from 'node:util';
import { LocalRedis } from '../../server/test/harness/local-redis.ts';
import { BenchVault } from './bench-vault.ts';
import { median } from './median.ts';
import { runWrk } from './wrk.ts';

/*
 * What do limits cost? Vaults without limits, with limits in process and with limits in Redis stand side by side and
 * create tokens in turn, so that what disturbs one disturbs the others. The order changes with every round. Throughput
 * depends on what else the machine does; processor time of the server for one token hardly does, so both are told, and
 * the second is what is judged. Needs wrk.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const costMax = 0.05;

const redis = await LocalRedis.start();
const vaults = {
  off: await BenchVault.start('together', { STRONGROOM_RATE_LIMITS: 'off' }),
  process: await BenchVault.start(),
  redis: await BenchVault.start('together', { STRONGROOM_REDIS_URL: redis.url }),
};
type Kind = keyof typeof vaults;
const kinds = Object.keys(vaults) as Kind[];

interface Measured {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

async function createTokens(vault: BenchVault, seconds: number): Promise<Measured> {
  const before = await vault.cpuMicroseconds();
  const load = { script: 'create-token', connections: Number(values.connections), seconds };
  const { requests, perSecond } = await runWrk(vault, load);
  return { perSecond, cpuMicroseconds: ((await vault.cpuMicroseconds()) - before) / requests };
}

const measured: Record<Kind, Measured[]> = { off: [], process: [], redis: [] };
// The first runs compile code and fill caches; they are not counted.
for (const kind of kinds) await createTokens(vaults[kind], 5);
for (let round = 0; round < rounds; round += 1) {
  for (let turn = 0; turn < kinds.length; turn += 1) {
    const kind = kinds[(round + turn) % kinds.length] ?? 'off';
    measured[kind].push(await createTokens(vaults[kind], Number(values.seconds)));
  }
}

/** Round by round: a slow moment of the machine is in both numbers. */
const ratioOf = (kind: Kind, name: keyof Measured) =>
  median(measured[kind].map((one, round) => one[name] / (measured.off[round]?.[name] ?? Number.NaN)));
const results = kinds.map((kind) => ({
  limits: kind,
  creates_per_second: Math.round(median(measured[kind].map(({ perSecond }) => perSecond))),
  cpu_us_per_create: Math.round(median(measured[kind].map(({ cpuMicroseconds }) => cpuMicroseconds))),
  throughput_ratio: ratioOf(kind, 'perSecond'),
  cpu_ratio: ratioOf(kind, 'cpuMicroseconds'),
}));
if (values.json) process.stdout.write(`${JSON.stringify({ rounds, results })}\n`);
else {
  for (const { limits, creates_per_second, cpu_us_per_create, throughput_ratio, cpu_ratio } of results) {
    const throughput = `${String(creates_per_second).padStart(6)}/s (${throughput_ratio.toFixed(3)})`;
    process.stdout.write(
      `${limits.padEnd(8)} ${throughput}  ${cpu_us_per_create} µs a create (${cpu_ratio.toFixed(3)})\n`,
    );
  }
}
for (const vault of Object.values(vaults)) await vault.stop();
await redis.stop();
if (results.some(({ cpu_ratio }) => cpu_ratio > 1 + costMax)) process.exitCode = 1;
