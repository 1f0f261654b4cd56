import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps, type RequestOptions } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { BenchVault } from './bench-vault.ts';
import { median, percentile } from './median.ts';
import { measureRoutes } from './route-latency.ts';
import { type Destinations, settingsFor, startDestinations } from './start-destinations.ts';

/*
 * Measures the delay that the proxy adds to a call, and how hostile destinations affect other requests. The vault, the
 * destinations and this client run in three processes. Compared cases are measured in turn, so that a disturbance
 * affects both.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '400' }, windows: { type: 'string', default: '8' } },
});
const rounds = Number(values.rounds);
const windows = Number(values.windows);
const windowMs = 4_000;
const settleMs = 300;
const getEveryMs = 10;

function send(
  start: typeof requestHttp | typeof requestHttps,
  options: RequestOptions,
): Promise<{ status: number; ms: number }> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = start(options, (answer) => {
      const done = () => resolve({ status: answer.statusCode ?? 0, ms: performance.now() - startedAt });
      answer.resume().once('end', done).once('error', done);
    });
    sent.once('error', reject).end();
  });
}

const format = (times: readonly number[]) =>
  `p50 ${median(times).toFixed(2)} ms, p99 ${percentile(times, 0.99).toFixed(2)} ms`;

async function measureAddedLatency(vault: BenchVault, destinations: Destinations): Promise<void> {
  const { host, port, authority: ca } = destinations;
  const toVault = new HttpAgent({ keepAlive: true });
  const url = new URL(vault.url);
  // The proxy also opens and verifies a new connection for each call.
  const fresh = { host: '127.0.0.1', port, servername: host, ca, path: '/', agent: false } as const;
  const kept = { ...fresh, agent: new HttpsAgent({ keepAlive: true }) };
  const headers = { 'bt-api-key': vault.key, 'bt-proxy-url': `https://${host}:${port}` };
  const proxied = { host: url.hostname, port: url.port, path: '/proxy', headers, agent: toVault };
  const times = { direct: [] as number[], kept: [] as number[], proxied: [] as number[] };
  for (let round = -50; round < rounds; round += 1) {
    const direct = await send(requestHttps, fresh);
    const overKept = await send(requestHttps, kept);
    const viaVault = await send(requestHttp, proxied);
    if (viaVault.status !== 200) throw new Error(`The proxy answered ${viaVault.status}.`);
    if (round < 0) continue;
    times.direct.push(direct.ms);
    times.kept.push(overKept.ms);
    times.proxied.push(viaVault.ms);
  }
  toVault.destroy();
  kept.agent.destroy();
  process.stdout.write(`direct, new connection    ${format(times.direct)}\n`);
  process.stdout.write(`direct, kept connection   ${format(times.kept)}\n`);
  process.stdout.write(`through the proxy         ${format(times.proxied)}\n`);
  const added = median(times.proxied) - median(times.direct);
  process.stdout.write(`added at p50              ${added.toFixed(2)} ms (limit 3 ms)\n\n`);
}

/** Reads one token at a steady rate during the window. The rate does not depend on response times. */
async function measureGets(vault: BenchVault, path: string): Promise<number[]> {
  const agent = new HttpAgent({ keepAlive: true });
  const url = new URL(vault.url);
  const options = { host: url.hostname, port: url.port, path, headers: { 'bt-api-key': vault.key }, agent };
  const asked: Promise<{ ms: number }>[] = [];
  const timer = setInterval(() => asked.push(send(requestHttp, options)), getEveryMs);
  await pause(windowMs);
  clearInterval(timer);
  const answers = await Promise.all(asked);
  agent.destroy();
  return answers.map(({ ms }) => ms);
}

/**
 * Calls every hostile destination once, evenly spread over half of the window. The returned function closes the
 * connections at the end of the window.
 */
function startHostileCalls(vault: BenchVault, { host, port, hostileCount }: Destinations): () => void {
  const url = new URL(vault.url);
  const headers = { 'bt-api-key': vault.key, 'bt-proxy-url': `https://${host}:${port}` };
  const calls: { destroy(): void }[] = [];
  const timer = setInterval(
    () => {
      const options = { host: url.hostname, port: url.port, path: `/proxy/${calls.length}`, headers, agent: false };
      const sent = requestHttp(options, (answer) => answer.on('error', () => undefined).resume());
      calls.push(sent.on('error', () => undefined).end());
      if (calls.length === hostileCount) clearInterval(timer);
    },
    windowMs / hostileCount / 2,
  );
  return () => {
    clearInterval(timer);
    for (const call of calls) call.destroy();
  };
}

/** Measures short windows in turn, so that other load on the machine affects both equally. */
async function measureNeighbours(vault: BenchVault, destinations: Destinations): Promise<void> {
  const { id } = JSON.parse(await vault.request('POST', '/tokens', { type: 'token', data: 'x' })) as { id: string };
  const quiet: number[] = [];
  const busy: number[] = [];
  await measureGets(vault, `/tokens/${id}`);
  for (let window = 0; window < windows; window += 1) {
    quiet.push(...(await measureGets(vault, `/tokens/${id}`)));
    const stop = startHostileCalls(vault, destinations);
    busy.push(...(await measureGets(vault, `/tokens/${id}`)));
    stop();
    await pause(settleMs);
  }
  process.stdout.write(`GET /tokens/{id}, alone   ${format(quiet)} (${quiet.length})\n`);
  process.stdout.write(`beside ${destinations.hostileCount} hostile calls   ${format(busy)} (${busy.length})\n`);
  const ratio = percentile(busy, 0.99) / percentile(quiet, 0.99);
  process.stdout.write(`ratio at p99              ${ratio.toFixed(2)} (limit 1.2)\n`);
}

const { process: child, destinations } = await startDestinations();
const vault = await BenchVault.start('together', {
  ...settingsFor(destinations),
});
try {
  await measureAddedLatency(vault, destinations);
  await measureRoutes(vault, destinations, rounds);
  await measureNeighbours(vault, destinations);
} finally {
  await vault.stop();
  child.kill('SIGTERM');
}
