import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { rateLimitTable } from '../../src/platform/rate-limit/rate-limit-table.ts';
import { MeasuredVault } from '../harness/measured-vault.ts';
import { createApplication } from '../harness/test-application.ts';
import { prepareAbuse } from '../harness/abusive-streams.ts';
import { listHostileStreams } from '../harness/hostile-streams.ts';
import { PacedClient, type PacedStream, percentile } from '../harness/paced-client.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';
import { untilTrue } from '../harness/deadline.ts';
import { countLockWaits } from '../harness/lock-waits.ts';
import { HostileTenant } from '../slowest/surroundings.ts';

/** The short form runs with every build. `npm run test:neighbour` sets the other values. */
const rounds = Number(process.env['NEIGHBOUR_ROUNDS'] ?? 1);
const roundMs = Number(process.env['NEIGHBOUR_ROUND_MS'] ?? 2_000);
/** The long form uses larger tokens and more of everything. */
const isLong = process.env['NEIGHBOUR_ROUNDS'] !== undefined;
const ratioMax = Number(process.env['NEIGHBOUR_P99_RATIO_MAX'] ?? Number.POSITIVE_INFINITY);

/** The time that a request waits for a database connection before it is refused. */
const lineMs = 5_000;
/** More requests than may wait for a connection. */
const lineMax = 520;

let vault: TestVault;
let noisy: TestTenant;
let quiet: TestTenant;

beforeAll(async () => {
  vault = await TestVault.start();
  [noisy, quiet] = [await vault.makeTenant(), await vault.makeTenant()];
  for (const tenant of [noisy, quiet]) {
    const body = Array.from({ length: 40 }, (_, index) => ({ id: `t${index}00`, type: 'token', data: `v${index}` }));
    expect((await vault.request('POST', '/tokenize', { key: tenant.keys.private, body })).status).toBe(200);
  }
  // Duplicates that are updated do not share a commit, so each such create uses a connection of its own.
  const body = { name: 'Noisy', settings: { token_deduplication_behavior: 'update_existing' } };
  expect((await vault.request('PUT', '/tenants/self', { key: noisy.keys.management, body })).status).toBe(200);
  // Updates and single creates use other counter rows than `/tokenize`, and only existing rows can be locked.
  expect((await patch(noisy.keys.private, 0)).status).toBe(200);
});
afterAll(() => vault.stop());

const patchHeaders = { 'content-type': 'application/merge-patch+json' };
const idAt = (index: number) => `t${index}00`;

/** Requests that another tenant sends in the meantime, covering every use of the pool. */
const others: [string, () => Promise<TestResponse>, number][] = [
  ['a get', () => vault.request('GET', '/tokens/t100', { key: quiet.keys.private }), 200],
  ['a create', () => create(quiet.keys.public), 201],
  ['a list', () => vault.request('GET', '/tokens', { key: quiet.keys.private }), 200],
  ['a search', () => vault.request('POST', '/v2/tokens/search', { key: quiet.keys.private, body: {} }), 200],
  ['a detokenization', () => detokenize(quiet.keys.reveal), 200],
  ['an update', () => patch(quiet.keys.private, 5), 200],
  ['a list of applications', () => vault.request('GET', '/applications', { key: quiet.keys.management }), 200],
  ['a first use of a key', async () => create((await createApplication(vault, quiet)).key), 201],
  ['an invalid key', () => vault.request('GET', '/tokens', { key: `${quiet.keys.private}x` }), 401],
];

const create = (key: string) => vault.request('POST', '/tokens', { key, body: { type: 'token', data: 'v' } });
const createUnique = (index: number) =>
  vault.request('POST', '/tokens', {
    key: noisy.keys.private,
    body: { type: 'token', data: `${crypto.randomUUID()} ${index}`, deduplicate_token: true },
  });
const detokenize = (key: string) => vault.request('POST', '/detokenize', { key, body: { a: '{{ t100 }}' } });
/** The container changes each time, so that counters change. */
let place = 0;
const patch = (key: string, index: number) =>
  vault.request('PATCH', `/tokens/${idAt(index)}`, {
    key,
    headers: patchHeaders,
    body: { containers: [`/place${place % 2}/`] },
  });

/**
 * Runs `work` while every statement of the noisy tenant that touches its counters hangs. On a busy machine this may
 * take so long that a request of this tenant reaches its own time limit. Such a run proves nothing and is repeated.
 */
async function whileNoisyHangs<T>(hanging: () => Promise<T>[], work: () => Promise<void>): Promise<T[]> {
  let answers: T[] | undefined;
  await untilTrue(
    async () => {
      answers = await tryWhileNoisyHangs(hanging, work);
      return answers !== undefined;
    },
    { waitingFor: 'a neighbour that is not kept waiting' },
  );
  return answers ?? [];
}

async function tryWhileNoisyHangs<T>(hanging: () => Promise<T>[], work: () => Promise<void>): Promise<T[] | undefined> {
  const holder = await vault.database.owner.connect();
  place += 1;
  try {
    await holder.query('begin');
    await holder.query('select from token_counts where tenant_id = $1 for update', [noisy.id]);
    const startedAt = performance.now();
    const answers = hanging();
    let isStillHanging = false;
    try {
      await untilTrue(async () => (await countLockWaits(vault.database.owner)) >= 2, {
        waitingFor: 'statements that hang',
      });
      await work();
      isStillHanging = (await countLockWaits(vault.database.owner)) > 0;
    } finally {
      await holder.query('rollback');
    }
    const isInTime = performance.now() - startedAt < lineMs;
    const all = await Promise.all(answers);
    return isStillHanging && isInTime ? all : undefined;
  } finally {
    holder.release();
  }
}

/**
 * Queues more statements of this tenant than may wait. The same number of requests would take seconds to
 * arrive on a busy machine.
 */
function fillLine(): Promise<unknown> {
  const text = 'select from token_counts where tenant_id = $1 for update';
  const line = Array.from({ length: lineMax }, () =>
    vault.server.core.database.runForTenant(parseTenantId(noisy.id), { text, values: [noisy.id] }),
  );
  return Promise.allSettled(line);
}

describe('while every statement of one tenant hangs', () => {
  const many = (ask: (index: number) => Promise<TestResponse>) => () =>
    Array.from({ length: 20 }, (_, index) => ask(index));
  const ways: [string, (index: number) => Promise<TestResponse>][] = [
    ['updates', (index) => patch(noisy.keys.private, index)],
    ['deduplicated creates', (index) => createUnique(index)],
  ];

  describe.each(ways)('in %s', (_way, ask) => {
    it.each(others)('another tenant makes %s without waiting', async (_name, other, status) => {
      const answers = await whileNoisyHangs(many(ask), async () => {
        expect((await other()).status).toBe(status);
      });
      // The hanging requests finish as soon as possible.
      for (const answer of answers) expect([200, 201]).toContain(answer.status);
    });
  });

  it('turns away what is too much of that tenant, with the time to wait, and nothing of another', async () => {
    const lines: Promise<unknown>[] = [];
    const answers = await whileNoisyHangs(many(createUnique), async () => {
      lines.push(fillLine());
      const refused = await createUnique(0);
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      const asked = await Promise.all(Array.from({ length: 10 }, () => create(quiet.keys.public)));
      expect(asked.map(({ status }) => status)).toEqual(Array<number>(10).fill(201));
    });
    for (const { status } of answers) expect(status).toBe(201);
    await Promise.all(lines);
  });
});

/*
 * The vault runs in its own process with the limits of the API, which count by client address. The tenants are
 * clients in threads of this process with their own addresses. One does everything that the limits allow, the
 * other does ordinary work.
 */
describe('beside a tenant that does all it may', () => {
  const abuses: [string, (served: MeasuredVault) => Promise<PacedStream[]>][] = [
    ['with the largest tokens', ({ url }) => prepareAbuse(vault, noisy, { url, isLong })],
    [
      'with as many rules and conditions as there may be',
      async (served) => listHostileStreams((await HostileTenant.make(vault, await vault.makeTenant(), served)).around),
    ],
  ];

  it.each(abuses)('%s, another keeps its answers', async (_name, prepare) => {
    // The data is prepared on a server without limits, so that it does not count towards them.
    const made = await MeasuredVault.serve(vault);
    const served = await MeasuredVault.serve(vault, { limits: rateLimitTable });
    const abuse = new PacedClient(served.url, '127.0.0.2', {
      streams: await prepare(made),
      isElsewhere: true,
    });
    await made.stop();
    const gets = Array.from({ length: 40 }, (_, index) => ({
      method: 'GET',
      path: `/tokens/${idAt(index)}`,
      key: quiet.keys.private,
    }));
    const creates = [{ method: 'POST', path: '/tokens', key: quiet.keys.public, body: { type: 'token', data: 'v' } }];
    const neighbour = new PacedClient(served.url, '127.0.0.3', {
      streams: [
        { requests: gets, perSecond: 40 },
        { requests: creates, perSecond: 15 },
      ],
    });
    const [alone, beside]: [number[], number[]] = [[], []];
    const seen = { neighbour: {} as Record<string, number>, abuse: {} as Record<string, number> };
    try {
      await neighbour.run(500);
      for (let round = 0; round < rounds; round += 1) {
        alone.push(...(await neighbour.run(roundMs)).latenciesMs);
        const [own, others] = await Promise.all([neighbour.run(roundMs), abuse.run(roundMs)]);
        beside.push(...own.latenciesMs);
        addTo(seen.neighbour, own.statuses);
        addTo(seen.abuse, others.statuses);
      }
    } finally {
      await Promise.all([abuse.stop(), neighbour.stop()]);
      await served.stop();
    }
    const figures = [0.5, 0.9, 0.99].map((share) => {
      const [before, after] = [percentile(alone, share), percentile(beside, share)];
      return `p${share * 100} ${before.toFixed(1)} ms alone, ${after.toFixed(1)} ms beside (${(after / before).toFixed(2)}x)`;
    });
    process.stdout.write(`${[`neighbour ${JSON.stringify(seen)}`, ...figures].join('\n')}\n`);
    expect(Object.keys(seen.neighbour).toSorted()).toEqual(['200', '201']);
    // The rounds of the short form end before a burst is used up, and run on a busy machine. They only show whether the
    // other tenant is served at all. The long form measures how fast.
    if (isLong) expect(percentile(beside, 0.5)).toBeLessThan(3_000);
    if (isLong) expect(seen.abuse['503'] ?? 0).toBeGreaterThan(0);
    expect(percentile(beside, 0.99) / percentile(alone, 0.99)).toBeLessThanOrEqual(ratioMax);
  });
});

function addTo(sums: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [status, count] of Object.entries(more)) sums[status] = (sums[status] ?? 0) + count;
}
