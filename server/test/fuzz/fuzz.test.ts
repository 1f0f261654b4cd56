import { Agent, request as sendHttp } from 'node:http';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { type FuzzedAnswer, findFault } from './answer-judge.ts';
import { listOperations } from './api-operations.ts';
import { listFramings } from './framings.ts';
import { type FuzzedRequest, RequestMaker } from './request-maker.ts';
import { SeededRandom } from '../../src/core/random/seeded-random.ts';

/*
 * Requests generated from the server's own description: valid, nearly valid and hostile.
 * `npm run fuzz -- --seed 7 --count 100000` runs the long form. No response may be a failure, violate its schema, or
 * accept what the description forbids.
 */
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
const count = Number(process.env['FUZZ_COUNT'] ?? 3_000);
const workers = 12;
const idsMax = 500;
/** The maximum growth of memory during the run. It leaves room for caches to fill up to their limits. */
const growthMaxBytes = 40 * 1024 * 1024;
const patienceMs = 60_000 + count * 10;

let vault: TestVault;
let tenant: TestTenant;
const agent = new Agent({ keepAlive: true, maxSockets: workers });
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(async () => {
  agent.destroy();
  await vault.stop();
});

describe(`fuzzing with seed ${seed}`, () => {
  it(
    `finds nothing in ${count} requests, and memory comes back`,
    async () => {
      const operations = listOperations((await vault.request('GET', '/openapi.json')).body);
      expect(operations.length).toBeGreaterThan(20);
      const known = { keys: tenant.keys, ids: ['none'] };
      const maker = new RequestMaker(new SeededRandom(seed), operations, known);
      const faults: string[] = [];
      const statuses = new Map<number, number>();
      const run = (total: number) => {
        let sent = 0;
        const work = async () => {
          while (sent < total && faults.length < 10) {
            sent += 1;
            const request = maker.next();
            const answer = await send(request);
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
            const fault = findFault(request, answer);
            if (fault !== undefined) faults.push(describeFault(fault, request, answer));
            rememberId(known.ids, answer);
            // The log of a test vault is kept in memory. It must not be part of the measurement.
            vault.logLines.length = 0;
          }
        };
        return Promise.all(Array.from({ length: workers }, work));
      };
      await run(Math.ceil(count / 3));
      const before = heapInUse();
      await run(Math.floor((count * 2) / 3));
      const growth = heapInUse() - before;
      process.stdout.write(`${JSON.stringify({ seed, count, growth, statuses: Object.fromEntries(statuses) })}\n`);
      expect(faults).toEqual([]);
      expect(growth).toBeLessThan(growthMaxBytes);
      // The run must produce every kind of status. Otherwise, a run whose requests are all refused early would pass
      // too.
      for (const status of [200, 201, 204, 400, 401, 403, 404, 415])
        expect(statuses.get(status) ?? 0).toBeGreaterThan(0);
    },
    patienceMs,
  );

  it('finds nothing in two hundred framings', async () => {
    const framings = listFramings(tenant.keys.private);
    expect(framings.length).toBeGreaterThanOrEqual(200);
    expect(new Set(framings.map(({ bytes }) => bytes.toString('latin1'))).size).toBeGreaterThanOrEqual(200);
    const faults: string[] = [];
    const next = framings.values();
    const work = async () => {
      for (const { name, bytes, isAmbiguous } of next) {
        const text = await exchange(bytes);
        const answers = [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
        if (answers.some((status) => status >= 500)) faults.push(`${name}: ${answers.join(' ')}`);
        // The hidden request gets a 404 if it is parsed as a request.
        const isCarriedOut = answers.some((status) => status < 300) || (answers.length > 1 && answers[0] !== 400);
        if (isAmbiguous && isCarriedOut) faults.push(`${name} was carried out: ${answers.join(' ')}`);
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
    expect(faults).toEqual([]);
    expect((await vault.request('GET', '/roles', { key: tenant.keys.private })).status).toBe(200);
  });
});

function send({ operation, path, headers, body }: FuzzedRequest): Promise<FuzzedAnswer> {
  const { hostname, port } = new URL(vault.server.url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const options = { hostname, port, method: operation.method, path, agent, headers: { ...headers, ...length } };
    const request = sendHttp(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    request.on('error', reject);
    request.setTimeout(20_000, () => request.destroy(new Error(`${operation.method} ${path} was not answered.`)));
    request.end(body);
  });
}

/** Sends bytes, closes its side of the connection, and reads the response. */
function exchange(bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(vault.server.url);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.setTimeout(3_000, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.on('end', () => socket.destroy());
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.end(bytes);
  });
}

function rememberId(ids: string[], { status, text }: FuzzedAnswer): void {
  if (status !== 201) return;
  const { id } = JSON.parse(text) as { id?: string };
  if (id === undefined) return;
  ids.push(id);
  if (ids.length > idsMax) ids.shift();
}

function describeFault(fault: string, request: FuzzedRequest, answer: FuzzedAnswer): string {
  const { operation, path, headers, body } = request;
  const sent = body === undefined ? '' : JSON.stringify(body.toString('latin1').slice(0, 500));
  const { 'bt-api-key': _, ...shown } = headers;
  return `${fault}: ${operation.method} ${path.slice(0, 300)} ${JSON.stringify(shown)} ${sent} → ${answer.status} ${answer.text.slice(0, 300)}`;
}

/** Returns the heap in use after a full garbage collection. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
