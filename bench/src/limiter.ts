import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { LocalRedis } from '../../server/test/harness/local-redis.ts';
import { BenchVault } from './bench-vault.ts';
import { median } from './median.ts';

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
/** Counted, and never reached. */
const high = { STRONGROOM_RATE_LIMITS: 'global=999999999,token-write=999999999' };

const redis = await LocalRedis.start();
const vaults = {
  off: await BenchVault.start(),
  process: await BenchVault.start('together', high),
  redis: await BenchVault.start('together', { ...high, STRONGROOM_REDIS_URL: redis.url }),
};
type Kind = keyof typeof vaults;
const kinds = Object.keys(vaults) as Kind[];

const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-limiter-'));
const script = path.join(directory, 'create.lua');

interface Measured {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

/** Anything but success would make the numbers mean something else, so it ends the run. */
async function createTokens(vault: BenchVault, seconds: string): Promise<Measured> {
  const body = JSON.stringify({ type: 'token', data: { note: 'x'.repeat(200) } });
  await writeFile(
    script,
    `wrk.method = "POST"\nwrk.body = [[${body}]]\nwrk.headers["content-type"] = "application/json"\nwrk.headers["bt-api-key"] = "${vault.key}"\n`,
  );
  const flags = ['-t1', `-c${values.connections}`, `-d${seconds}s`, '-s', script, `${vault.url}/tokens`];
  const before = await vault.cpuMicroseconds();
  const { stdout } = await promisify(execFile)('wrk', flags);
  const used = (await vault.cpuMicroseconds()) - before;
  if (stdout.includes('Non-2xx')) throw new Error(`Not every token was stored:\n${stdout}`);
  const count = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  return { perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]), cpuMicroseconds: used / count };
}

const measured: Record<Kind, Measured[]> = { off: [], process: [], redis: [] };
// The first runs compile code and fill caches; they are not counted.
for (const kind of kinds) await createTokens(vaults[kind], '5');
for (let round = 0; round < rounds; round += 1) {
  for (let turn = 0; turn < kinds.length; turn += 1) {
    const kind = kinds[(round + turn) % kinds.length] ?? 'off';
    measured[kind].push(await createTokens(vaults[kind], values.seconds));
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
await rm(directory, { recursive: true });
if (results.some(({ cpu_ratio }) => cpu_ratio > 1 + costMax)) process.exitCode = 1;
