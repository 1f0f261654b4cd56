import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StatementTap } from '../harness/statement-tap.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';

/*
 * These tests check whether the response time reveals that an id exists in another tenant. Requests for such ids and
 * for ids that exist nowhere are sent in random order, and the means of the two are compared (Welch's t-test). A t
 * above 4.5 means that the difference is real.
 *
 * The measurement needs a quiet machine: `npm run test:timing` runs it with a hundred thousand samples. Otherwise only
 * the responses and the SQL statements are compared, which do not depend on timing.
 */
const samples = Number(process.env['TIMING_SAMPLES'] ?? '0');
const isLong = samples > 0;
const threshold = 4.5;
const idCount = 50;

let vault: TestVault;
let asking: TestTenant;
let foreignIds: string[];
const nowhereIds = Array.from({ length: idCount }, () => crypto.randomUUID());
beforeAll(async () => {
  vault = await TestVault.start();
  const owner = await vault.makeTenant();
  asking = await vault.makeTenant();
  const body = Array.from({ length: idCount }, (_, index) => `value ${index}`);
  foreignIds = (await vault.request('POST', '/tokenize', { key: owner.keys.private, body })).body as string[];
  if (isLong) await measure(500);
});
afterEach(() => void Reflect.set(pg.Client.prototype, 'query', send));
afterAll(() => vault.stop());

async function timeOf(id: string): Promise<number> {
  const startedAt = performance.now();
  const { status } = await vault.request('GET', `/tokens/${id}`, {
    key: asking.keys.reveal,
    headers: { 'bt-trace-id': 'same' },
  });
  const time = performance.now() - startedAt;
  expect(status).toBe(404);
  return time;
}

/**
 * Returns Welch's t between the two kinds of ids. The slowest tenth is left out because it only reflects the machine.
 */
async function measure(count: number): Promise<number> {
  const foreign: number[] = [];
  const nowhere: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const isForeign = Math.random() < 0.5;
    const ids = isForeign ? foreignIds : nowhereIds;
    (isForeign ? foreign : nowhere).push(await timeOf(ids[index % idCount] ?? ''));
  }
  const limit = [...foreign, ...nowhere].sort((a, b) => a - b)[Math.floor(count * 0.9)] ?? Number.POSITIVE_INFINITY;
  return welch(
    foreign.filter((time) => time < limit),
    nowhere.filter((time) => time < limit),
  );
}

function welch(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const squaredError = (values: readonly number[]) => {
    const average = mean(values);
    return values.reduce((sum, value) => sum + (value - average) ** 2, 0) / (values.length - 1) / values.length;
  };
  return (mean(a) - mean(b)) / Math.sqrt(squaredError(a) + squaredError(b));
}

type Send = (this: unknown, ...parameters: unknown[]) => unknown;
const send = Reflect.get(pg.Client.prototype, 'query') as Send;

/** Plants a plausible leak: a tenth of a millisecond of extra work if the id exists in another tenant. */
function plantLeak(): void {
  const leaking: Send = function leaking(...parameters) {
    const { name, values = [] } = (parameters[0] ?? {}) as { name?: string; values?: unknown[] };
    const isForeign = name === 'token-read' && foreignIds.some((id) => String(values[1]) === id);
    const until = performance.now() + (isForeign ? 0.1 : 0);
    while (performance.now() < until);
    return Reflect.apply(send, this, parameters);
  };
  Reflect.set(pg.Client.prototype, 'query', leaking);
}

describe('what is done for an id of another tenant', () => {
  it('is what is done for one that exists nowhere', async () => {
    const tap = new StatementTap();
    const look = async (id: string) => {
      let answer: TestResponse | undefined;
      const headers = { 'bt-trace-id': 'same' };
      const sent = await tap.during(async () => {
        answer = await vault.request('GET', `/tokens/${id}`, { key: asking.keys.reveal, headers });
      }, 'token');
      const statements = sent.map(({ text }) => text);
      return { statements, status: answer?.status, text: answer?.text.replaceAll(id, 'id') };
    };
    try {
      // The first request after a pause performs more lookups than others.
      await look(nowhereIds[1] ?? '');
      const nowhere = await look(nowhereIds[0] ?? '');
      expect(nowhere).toMatchObject({ status: 404, statements: expect.arrayContaining([expect.anything()]) });
      expect(await look(foreignIds[0] ?? '')).toEqual(nowhere);
    } finally {
      tap.close();
    }
  });
});

describe('the time of an answer', () => {
  it.runIf(isLong)(
    `says nothing about ids of another tenant, in ${samples} samples`,
    async () => {
      const t = await measure(samples);
      expect(Math.abs(t)).toBeLessThan(threshold);
    },
    samples * 10 + 60_000,
  );

  it.runIf(isLong)('would say something if a tenth of a millisecond depended on it', async () => {
    plantLeak();
    expect(await measure(Math.min(samples, 6_000))).toBeGreaterThan(threshold);
  });
});
