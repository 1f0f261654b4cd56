import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/core/random/seeded-random.ts';
import { BackendMemory } from '../harness/backend-memory.ts';
import { type MeasuredResponse, MeasuredVault } from '../harness/measured-vault.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import {
  describePlan,
  drawPlan,
  familyOf,
  type HeavyPlan,
  listEachOperation,
  listWorst,
  mergedAndReadCount,
  mutate,
  toRequest,
} from '../slowest/heavy-plan.ts';
import { HostileTenant } from '../slowest/surroundings.ts';

/*
 * Searches for the request that occupies the event loop longest, sends the longest statement or makes a PostgreSQL
 * backend use the most memory. Requests are generated from the API description and from shapes that were slow
 * before, for every kind of key, including keys with the maximum number of rules and conditions. The slowest
 * requests are kept and varied.
 *
 * The short form sends the heavy requests that test/attacks/one-budget.test.ts does not cover, and some light requests
 * to every operation. `npm run test:slowest` runs the long form with 10,000 requests. Times are CPU time of the loop's
 * thread, including garbage collection on it. `SLOWEST_PLAN` repeats one line of the output.
 */
const seed = Number(process.env['SLOWEST_SEED'] ?? 1);
const lightCount = 300;
const count = Number(process.env['SLOWEST_REQUESTS'] ?? mergedAndReadCount + lightCount);
const isLong = process.env['SLOWEST_REQUESTS'] !== undefined;
const repeated = process.env['SLOWEST_PLAN'];
const keptMax = 30;
const shownMax = 10;
const familyMax = 3;
/** The maximum number of kept requests that were refused for lack of time or capacity. */
const refusedMax = 5;
/**
 * The data is restored after this many requests, because requests change and delete the data that makes them expensive.
 */
const restoredEvery = 500;
const toldEvery = 500;
const statementBytesMax = 64 * 1024;
const backendBytesMax = 100 * 1024 * 1024;

interface Finding extends Pick<MeasuredResponse, 'longestMs' | 'totalMs' | 'status' | 'statementBytes' | 'statement'> {
  readonly plan: HeavyPlan;
  /** A description of the request. The data that it was made from may be gone by the end. */
  readonly what: string;
  /** The maximum number of bytes that any backend has held so far. */
  readonly backendBytes: number;
}

let vault: TestVault;
let tenant: TestTenant;
let measured: MeasuredVault;
let memory: BackendMemory;
let hostile: HostileTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  measured = await MeasuredVault.start(vault, tenant.keys.private);
  memory = await BackendMemory.start(vault.database.owner);
  hostile = await HostileTenant.make(vault, tenant, measured);
});
afterAll(async () => {
  await measured.stop();
  await vault.stop();
});

describe(`the cost of a request, searched with seed ${seed}`, () => {
  it(
    `is bounded for ${count} requests and their neighbours`,
    async () => {
      const search = new Search();
      const random = new SeededRandom(seed);
      const known = listKnown().values();
      for (let sent = 1; sent <= count; sent += 1) {
        const next = known.next();
        if (next.done === true && repeated !== undefined) break;
        search.note(await find(next.value ?? search.draw(random)));
        if (sent % restoredEvery === 0) await hostile.restore();
        if (sent % toldEvery === 0) process.stdout.write(`${search.report()}\n`);
      }
      process.stdout.write(`${search.report()}\n`);
      expect(search.slowest[0]?.longestMs).toBeLessThanOrEqual(measured.turnMaxMs);
      expect(search.longestStatement?.statementBytes).toBeLessThanOrEqual(statementBytesMax);
      expect(search.largestBackend?.backendBytes).toBeLessThanOrEqual(backendBytesMax);
      expect(search.failed.map(({ what }) => what)).toEqual([]);
    },
    120_000 + count * 1_000,
  );
});

/** Lists the known plans. In the short form the heaviest come first, then one for every operation. */
function listKnown(): HeavyPlan[] {
  if (repeated !== undefined) return [JSON.parse(repeated) as HeavyPlan];
  const worst = listWorst();
  return [...(isLong ? worst : worst.slice(0, mergedAndReadCount)), ...listEachOperation(hostile.around)];
}

/**
 * Measures a plan, and repeats the measurement if it was too slow. The cost of the request itself shows up in every
 * repetition.
 */
async function find(plan: HeavyPlan): Promise<Finding> {
  const request = toRequest(plan, hostile.around);
  const first = await measured.measure(await hostile.prepare(request));
  const isSlow = first.longestMs > measured.turnMaxMs;
  const { longestMs, totalMs, status, statementBytes, statement } = isSlow
    ? await measured.measureShort(await hostile.prepare(request))
    : first;
  const what = describePlan(plan, request);
  const backendBytes = await memory.peakBytes();
  return { plan, what, longestMs, totalMs, status, statementBytes, statement, backendBytes };
}

/** Keeps the worst findings. A way is a kind of request with a kind of key. */
class Search {
  readonly slowest: Finding[] = [];
  readonly failed: Finding[] = [];
  readonly #refused: Finding[] = [];
  readonly #statuses: Record<string, number> = {};
  readonly #ways = new Set<string>();
  #sent = 0;
  longestStatement: Finding | undefined;
  largestBackend: Finding | undefined;

  draw(random: SeededRandom): HeavyPlan {
    if (!isLong) return drawPlan(random, true);
    const isMutant = this.slowest.length > 0 && random.chance(0.25);
    return isMutant ? mutate(random.pick(this.slowest).plan, random) : drawPlan(random);
  }

  note(finding: Finding): void {
    this.#keep(finding);
    if (isLong && finding.longestMs > measured.turnMaxMs) process.stdout.write(`${toLine(finding)}\n`);
    if (finding.statementBytes > (this.longestStatement?.statementBytes ?? 0)) this.longestStatement = finding;
    if (finding.backendBytes > (this.largestBackend?.backendBytes ?? 0)) this.largestBackend = finding;
    if (finding.status === 500) this.failed.push(finding);
    if (finding.status === 503 && this.#refused.length < refusedMax) this.#refused.push(finding);
    this.#statuses[finding.status] = (this.#statuses[finding.status] ?? 0) + 1;
    this.#sent += 1;
    this.#ways.add(`${finding.plan.kind} ${finding.plan.key}`);
  }

  /** Keeps a finding, but only a few of each family, so that variations of one request do not displace the others. */
  #keep(finding: Finding): void {
    this.slowest.push(finding);
    this.slowest.sort((a, b) => b.longestMs - a.longestMs);
    const family = this.slowest.filter(({ plan }) => familyOf(plan) === familyOf(finding.plan));
    const [surplus] = family.slice(familyMax);
    if (surplus !== undefined) this.slowest.splice(this.slowest.indexOf(surplus), 1);
    this.slowest.length = Math.min(this.slowest.length, keptMax);
  }

  report(): string {
    const { plainCreateMs, turnMaxMs } = measured;
    const [statement, backend] = [this.longestStatement, this.largestBackend];
    return [
      ...this.slowest.slice(0, shownMax).map(toLine),
      ...this.#refused.map(toLine),
      `${statement?.statementBytes} bytes of statement: ${statement?.what}\n    ${statement?.statement}`,
      `${inMebibytes(backend?.backendBytes)} MiB of a backend: ${backend?.what}`,
      JSON.stringify({
        seed,
        sent: this.#sent,
        plainCreateMs,
        turnMaxMs,
        statuses: this.#statuses,
        ways: this.#ways.size,
      }),
    ].join('\n');
  }
}

function toLine({ plan, what, longestMs, totalMs, status }: Finding): string {
  const line = `${longestMs.toFixed(1).padStart(7)} ms a turn, ${totalMs.toFixed(0).padStart(5)} ms in all, ${status}: ${what}`;
  return longestMs > measured.turnMaxMs ? `${line}\n    SLOWEST_PLAN='${JSON.stringify(plan)}'` : line;
}

function inMebibytes(bytes = 0): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
