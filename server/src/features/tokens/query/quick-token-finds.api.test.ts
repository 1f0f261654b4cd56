import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askTogether } from '../../../../test/harness/ask-together.ts';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { type SentStatement, StatementTap } from '../../../../test/harness/statement-tap.ts';
import { createApplication } from '../../../../test/harness/test-application.ts';
import { type TestResponse, type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { idsOf, pageOf } from '../../../../test/harness/token-answers.ts';

/** The number of concurrent batches of one tenant. */
const batchesMax = 2;
/** A number of tokens above the limit for a quick count. */
const manyTokens = 10_000;

let vault: TestVault;
let tap: StatementTap;
let tenant: TestTenant;

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tap = new StatementTap();
});
afterAll(async () => {
  tap.close();
  await vault.stop();
});

async function create(count: number, toToken: (index: number) => object, of = tenant): Promise<void> {
  for (let start = 0; start < count; start += 1_000) {
    const body = Array.from({ length: Math.min(1_000, count - start) }, (_, index) => toToken(start + index));
    expect((await vault.request('POST', '/tokenize', { key: of.keys.private, body })).status).toBe(200);
  }
}

const list = (path: string, key = tenant.keys.private) => vault.request('GET', path, { key });

const isFind = ({ text }: SentStatement) => text.includes('with page as');
const listTogether = (asks: readonly (() => Promise<TestResponse>)[]) =>
  askTogether({ vault, tap, name: 'token-list', batchesMax, isSent: isFind, askAhead: () => list('/tokens') }, asks);

/** Returns the statements that were sent to find tokens. */
function findsIn(start: number) {
  return tap.sent.slice(start).filter(isFind);
}

describe('first pages that are asked for together', () => {
  it('are found in one transaction, each with what its own caller may see and with its own records', async () => {
    const own = await vault.makeTenant();
    await create(
      30,
      (index) => ({ id: `t-${10 + index}`, type: 'token', data: `v ${index}`, metadata: { n: `${index % 2}` } }),
      own,
    );
    tenant = own;
    const nobody = (await createApplication(vault, own, { permissions: ['token:create'], rules: [] })).key;
    const before = tap.sent.length;
    const answers = await listTogether([
      () => list('/tokens?size=3'),
      () => list('/tokens?metadata.n=1&size=5'),
      () => list('/tokens?metadata.n=none'),
      () => list('/v2/tokens?size=4', own.keys.reveal),
    ]);
    expect((await list('/tokens', nobody)).status).toBe(403);
    const [newest, odd, none, revealed] = answers.map(pageOf);
    expect(newest).toMatchObject({
      pagination: { total_items: 30 },
      data: [{ id: 't-39' }, { id: 't-38' }, { id: 't-37' }],
    });
    expect(odd?.pagination.total_items).toBe(15);
    expect(odd === undefined ? [] : idsOf(odd)).toEqual(['t-39', 't-37', 't-35', 't-33', 't-31']);
    expect(none).toMatchObject({ pagination: { total_items: 0 }, data: [] });
    expect(revealed?.data.map(({ data }) => data)).toEqual(['v 29', 'v 28', 'v 27', 'v 26']);

    const sent = tap.sent.slice(before);
    const finds = sent.flatMap(({ text }, index) => (text.includes('with page as') ? [index] : []));
    // Two finds were blocked. Then all four ran, and no transaction began between them.
    expect(finds).toHaveLength(batchesMax + answers.length);
    const begins = sent.slice(finds.at(-4), finds.at(-1)).filter(({ text }) => text.startsWith('begin'));
    expect(begins).toEqual([]);

    const records = (await vault.auditRecords(own.id)).filter(({ operation }) => operation === 'read');
    const requestIds = answers.map(({ headers }) => headers.get('bt-trace-id'));
    const countOf = (id: string | null | undefined) => records.filter(({ request_id }) => request_id === id).length;
    expect(requestIds.map(countOf)).toEqual([3, 5, 0, 4]);
    const transforms = records
      .filter(({ request_id }) => request_id === requestIds[3])
      .map(({ transform }) => transform);
    expect(transforms).toEqual(['reveal', 'reveal', 'reveal', 'reveal']);
  });
});

describe('a first page that turns out to be long', () => {
  it('is found again in its own time, with all of its tokens', async () => {
    tenant = await vault.makeTenant();
    const bulk = 'x'.repeat(20 * 1024);
    await create(8, (index) => ({ id: `long-${index}`, type: 'token', data: `${bulk}${index}` }));
    const before = tap.sent.length;
    const page = pageOf(await list('/tokens', tenant.keys.reveal));
    expect(page.data.map(({ data }) => data)).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map((index) => `${bulk}${index}`));
    expect(findsIn(before).map(({ name }) => name)).toEqual(['token-newest-short-20', 'token-newest-20']);
  });

  it('is long as well if what is beside the data is', async () => {
    tenant = await vault.makeTenant();
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key-${index}`, 'v'.repeat(500)]));
    await create(4, (index) => ({ id: `meta-${index}`, type: 'token', data: index, metadata }));
    const before = tap.sent.length;
    const page = pageOf(await list('/tokens'));
    expect(page.data.map((token) => token.metadata)).toEqual([metadata, metadata, metadata, metadata]);
    expect(findsIn(before).map(({ name }) => name)).toEqual(['token-newest-short-20', 'token-newest-20']);
  });

  it('is short if its tokens are, however many follow', async () => {
    tenant = await vault.makeTenant();
    await create(25, (index) => ({ id: `short-${index}`, type: 'token', data: index }));
    const before = tap.sent.length;
    const page = pageOf(await list('/v2/tokens', tenant.keys.reveal));
    expect(page.data).toHaveLength(20);
    expect(page.pagination.next).toBeDefined();
    expect(findsIn(before).map(({ name }) => name)).toEqual(['token-newest-short-20']);
  });
});

describe('a first page that takes too long', () => {
  it('is found in its own time, and so are those that the tenant asks for next', async () => {
    tenant = await vault.makeTenant();
    await create(3, (index) => ({ id: `late-${index}`, type: 'token', data: index }));
    const holder = await vault.database.owner.connect();
    const before = tap.sent.length;
    try {
      await holder.query('begin; lock table tokens in access exclusive mode');
      const asked = list('/tokens');
      await untilTrue(() => findsIn(before).length === 2, { waitingFor: 'a second look' });
      await holder.query('rollback');
      expect(idsOf(pageOf(await asked))).toEqual(['late-2', 'late-1', 'late-0']);
    } finally {
      holder.release(true);
    }
    expect(idsOf(pageOf(await list('/tokens')))).toHaveLength(3);
    expect(findsIn(before).map(({ name }) => name)).toEqual([
      'token-newest-short-20',
      'token-newest-20',
      'token-newest-20',
    ]);
    const reads = (await vault.auditRecords(tenant.id)).filter(({ operation }) => operation === 'read');
    expect(reads).toHaveLength(6);
  });
});

describe('a page under a term', () => {
  it(`is counted in its own time where ${manyTokens} tokens or more are under it`, async () => {
    tenant = await vault.makeTenant();
    await create(manyTokens, (index) => ({ type: 'token', data: index, metadata: { group: 'all' } }));
    const before = tap.sent.length;
    const page = pageOf(await list('/tokens?metadata.group=all'));
    expect(page.pagination.total_items).toBe(manyTokens);
    expect(page.data).toHaveLength(20);
    expect(findsIn(before).map(({ name }) => name)).toEqual(['token-under-term-short-20', 'token-under-term-20']);
  });
});
