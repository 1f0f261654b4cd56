import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepTokensJobs } from '../../src/features/tokens/index.ts';
import { type SentStatement, StatementTap } from '../harness/statement-tap.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';
import { followPages, idsOf, pageOf } from '../harness/token-answers.ts';

const limits = { tenantMax: 40, publicDailyMax: 10 };

let vault: TestVault;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { limits: { containerSets: limits } });
});
afterAll(() => vault.stop());

const tokenIn = (...containers: string[]) => ({ type: 'token', data: 'v', containers });
const several = (count: number, from = 0) => Array.from({ length: count }, (_, index) => tokenIn(`/s${from + index}/`));
const post = (path: string, key: string, body: unknown) => vault.request('POST', path, { key, body });
const patch = (id: string, key: string, body: unknown) =>
  vault.request('PATCH', `/tokens/${id}`, { key, body, headers: { 'content-type': 'application/merge-patch+json' } });
const refused = (answer: TestResponse) =>
  expect(answer).toMatchObject({ status: 400, body: { type: expect.stringMatching(/too-many-container-sets$/) } });

async function setsOf({ id }: TestTenant): Promise<{ noted: number; counted: number; total: number }> {
  const { rows } = await vault.database.owner.query(
    `select (select count(distinct shelf)::int from token_sets where tenant_id = $1) as noted,
      (select count(distinct (type, containers))::int from token_counts where tenant_id = $1) as counted,
      coalesce((select sets from token_set_totals where tenant_id = $1), 0) as total`,
    [id],
  );
  return rows[0] as { noted: number; counted: number; total: number };
}

const sets = (count: number) => ({ noted: count, counted: count, total: count });

/** Opens a session with the tenant's public key. The session may create tokens in any container. */
async function openSession(tenant: TestTenant): Promise<string> {
  const session = (await vault.request('POST', '/sessions', { key: tenant.keys.public })).body as {
    session_key: string;
    nonce: string;
  };
  const rule = { description: '', priority: 1, container: '/', transform: 'reveal', permissions: ['token:create'] };
  const body = { nonce: session.nonce, rules: [rule] };
  expect((await post('/sessions/authorize', tenant.keys.reveal, body)).status).toBe(200);
  return session.session_key;
}

const publicKeyOf = async (tenant: TestTenant) => tenant.keys.public;
const holders: [string, (tenant: TestTenant) => Promise<string>][] = [
  ['a public key', publicKeyOf],
  ['a session key', openSession],
];

describe.each(holders)('%s', (_name, keyOf) => {
  it('makes no more sets than it may in one request, and none of those that are too many', async () => {
    const tenant = await vault.makeTenant();
    const key = await keyOf(tenant);
    refused(await post('/tokenize', key, several(11)));
    expect(await setsOf(tenant)).toEqual(sets(0));
    expect((await post('/tokenize', key, several(10))).status).toBe(200);
    expect(await setsOf(tenant)).toEqual(sets(10));
  });

  it('makes no more sets than it may in many requests, one after the other', async () => {
    const tenant = await vault.makeTenant();
    const key = await keyOf(tenant);
    const statuses: number[] = [];
    for (const token of several(15)) statuses.push((await post('/tokens', key, token)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(201), ...Array<number>(5).fill(400)]);
    expect(await setsOf(tenant)).toEqual(sets(10));
  });

  it('makes no more sets than it may in many requests at once', async () => {
    const tenant = await vault.makeTenant();
    const key = await keyOf(tenant);
    const answers = await Promise.all(several(40).map((token) => post('/tokens', key, token)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    for (const answer of answers) if (answer.status !== 201) refused(answer);
    expect(await setsOf(tenant)).toEqual(sets(10));
  });

  it('goes on to write into sets that there are', async () => {
    const tenant = await vault.makeTenant();
    const key = await keyOf(tenant);
    expect((await post('/tokenize', tenant.keys.private, several(20))).status).toBe(200);
    expect((await post('/tokenize', key, several(10, 20))).status).toBe(200);
    refused(await post('/tokens', key, tokenIn('/another/')));
    expect((await post('/tokenize', key, several(30))).status).toBe(200);
    expect((await post('/tokens', key, tokenIn('/s3/'))).status).toBe(201);
    expect(await setsOf(tenant)).toEqual(sets(30));
  });
});

describe('sets made by public keys', () => {
  it.each<[string, object[]]>([
    ['orders of the same containers', ['/a/', '/b/', '/c/', '/d/'].map((last) => tokenIn('/x/', last))],
    ['types', ['token', 'social_security_number'].map((type) => ({ ...tokenIn('/x/'), type, data: '123-45-6789' }))],
    ['containers within one another', [1, 2, 3, 4].map((depth) => tokenIn(`${'/x'.repeat(depth)}/`))],
  ])('count each %s as one', async (_name, tokens) => {
    const tenant = await vault.makeTenant();
    expect((await post('/tokenize', tenant.keys.public, several(10 - tokens.length))).status).toBe(200);
    expect((await post('/tokenize', tenant.keys.public, tokens)).status).toBe(200);
    expect(await setsOf(tenant)).toEqual(sets(10));
    refused(await post('/tokens', tenant.keys.public, tokenIn('/one/', '/more/')));
  });

  it('are counted over all keys and servers of the tenant, and for no other tenant', async () => {
    const [tenant, other] = [await vault.makeTenant(), await vault.makeTenant()];
    const application = await createApplication(vault, tenant, { type: 'public', permissions: ['token:create'] });
    const { url } = await vault.startAnother();
    const keys = [tenant.keys.public, application.key];
    const answers = await Promise.all(
      several(40).map((token, index) =>
        vault.request('POST', '/tokens', {
          key: keys[index % 2] ?? '',
          body: token,
          ...(index % 3 === 0 ? { url } : {}),
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(await setsOf(tenant)).toEqual(sets(10));
    expect((await post('/tokenize', other.keys.public, several(10))).status).toBe(200);
  });

  it('are forgotten as an allowance the next day, and only then', async () => {
    const tenant = await vault.makeTenant();
    expect((await post('/tokenize', tenant.keys.public, several(10))).status).toBe(200);
    refused(await post('/tokens', tenant.keys.public, tokenIn('/b/')));
    await vault.database.owner.query(`update token_set_totals set public_day = public_day - 1 where tenant_id = $1`, [
      tenant.id,
    ]);
    expect((await post('/tokenize', tenant.keys.public, several(10, 10))).status).toBe(200);
    refused(await post('/tokens', tenant.keys.public, tokenIn('/b/')));
  });

  it('are not made by moving tokens either', async () => {
    const tenant = await vault.makeTenant();
    const { key } = await createApplication(vault, tenant, {
      type: 'public',
      permissions: ['token:create', 'token:update'],
    });
    expect((await post('/tokens', key, { ...tokenIn('/s0/'), id: 'moving' })).status).toBe(201);
    for (let index = 1; index < 10; index += 1) {
      expect((await patch('moving', key, { containers: [`/s${index}/`] })).status).toBe(200);
    }
    refused(await patch('moving', key, { containers: ['/s10/'] }));
    expect((await patch('moving', key, { containers: ['/s3/'] })).status).toBe(200);
  });

  it('leave private keys their own room', async () => {
    const tenant = await vault.makeTenant();
    expect((await post('/tokenize', tenant.keys.public, several(10))).status).toBe(200);
    expect((await post('/tokenize', tenant.keys.private, several(30, 10))).status).toBe(200);
  });
});

describe('a tenant', () => {
  it.each<[string, (tenant: TestTenant) => Promise<TestResponse>]>([
    ['a create', (tenant) => post('/tokens', tenant.keys.private, tokenIn('/more/'))],
    ['a tokenize request', (tenant) => post('/tokenize', tenant.keys.private, [tokenIn('/s1/'), tokenIn('/more/')])],
    [
      'a deduplicated create',
      (tenant) => post('/tokens', tenant.keys.private, { ...tokenIn('/more/'), data: 'w', deduplicate_token: true }),
    ],
    ['an update', (tenant) => patch('first', tenant.keys.private, { containers: ['/more/'] })],
  ])('has as many sets as it may, and %s makes no more', async (_name, make) => {
    const tenant = await vault.makeTenant();
    const [, ...others] = several(40);
    const body = [{ ...tokenIn('/s0/'), id: 'first' }, ...others];
    expect((await post('/tokenize', tenant.keys.private, body)).status).toBe(200);
    refused(await make(tenant));
    expect(await setsOf(tenant)).toEqual(sets(40));
    expect((await vault.auditRecords(tenant.id)).filter(({ operation }) => operation !== 'create')).toEqual([]);
    expect((await post('/tokenize', tenant.keys.private, several(40))).status).toBe(200);
  });

  it('fails one request of many that are written together, and no other', async () => {
    const tenant = await vault.makeTenant();
    expect((await post('/tokenize', tenant.keys.private, several(40))).status).toBe(200);
    const wanted = [...several(20), tokenIn('/more/'), ...several(20)];
    const answers = await Promise.all(wanted.map((token) => post('/tokens', tenant.keys.private, token)));
    expect(answers.map(({ status }) => status)).toEqual(wanted.map((_, index) => (index === 20 ? 400 : 201)));
  });

  it('has an error page that names the settings', async () => {
    const page = await vault.request('GET', '/docs/errors/too-many-container-sets');
    expect(page.status).toBe(200);
    expect(page.text).toContain('STRONGROOM_CONTAINER_SETS_MAX');
  });
});

describe('sets that are empty', () => {
  const sweep = async () => {
    const jobs = sweepTokensJobs(vault.server.core.database);
    await jobs.find(({ name }) => name === 'sweep-container-sets')?.run({});
  };
  const removeAll = async (tenant: TestTenant, ids: readonly string[]) => {
    for (const id of ids) await vault.request('DELETE', `/tokens/${id}`, { key: tenant.keys.private });
  };
  const idsIn = (answer: TestResponse) => (answer.body as { id: string }[]).map(({ id }) => id);

  it('are forgotten, and leave room for others', async () => {
    const tenant = await vault.makeTenant();
    const ids = idsIn(await post('/tokenize', tenant.keys.private, several(40)));
    await removeAll(tenant, ids.slice(0, 15));
    refused(await post('/tokens', tenant.keys.private, tokenIn('/more/')));
    await sweep();
    expect(await setsOf(tenant)).toEqual(sets(25));
    expect((await post('/tokenize', tenant.keys.private, several(15, 100))).status).toBe(200);
    refused(await post('/tokens', tenant.keys.private, tokenIn('/more/')));
    await sweep();
    expect(await setsOf(tenant)).toEqual(sets(40));
  });

  it('are found by nobody, and found again when they fill', async () => {
    const tenant = await vault.makeTenant();
    const ids = idsIn(await post('/tokenize', tenant.keys.private, [tokenIn('/a/b/', '/c/'), tokenIn('/a/d/')]));
    await removeAll(tenant, ids);
    await sweep();
    expect(await setsOf(tenant)).toEqual(sets(0));
    await post('/tokens', tenant.keys.private, { ...tokenIn('/a/b/', '/c/'), id: 'again' });
    for (const container of ['/a/b/', '/c/', '/a/*']) {
      const page = pageOf(await vault.request('GET', `/tokens?container=${container}`, { key: tenant.keys.private }));
      expect({ ids: idsOf(page), total: page.pagination.total_items }).toEqual({ ids: ['again'], total: 1 });
    }
  });

  it('are never lost to a list while tokens come and go around the sweep', async () => {
    const tenant = await vault.makeTenant();
    const { url } = await vault.startAnother();
    const key = tenant.keys.private;
    const kept: string[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let round = 0; round < 12; round += 1) {
          const id = `w${worker}-r${round}`;
          const body = { ...tokenIn(`/s${round % 3}/`, `/t${worker % 2}/`), id };
          const server = worker % 2 === 0 ? { url } : {};
          expect((await vault.request('POST', '/tokens', { key, body, ...server })).status).toBe(201);
          if (round === 11) kept.push(id);
          else expect((await vault.request('DELETE', `/tokens/${id}`, { key, ...server })).status).toBe(204);
          if (worker === 0) await sweep();
        }
      }),
    );
    const pages = await followPages(
      async (start) =>
        pageOf(await post('/v2/tokens/search', key, { query: 'container:"/s2/" AND type:token', start })),
      5,
    );
    expect(pages.flatMap(idsOf).toSorted()).toEqual(kept.toSorted());
    await sweep();
    expect(await setsOf(tenant)).toEqual(sets(2));
    const all = pageOf(await vault.request('GET', '/tokens', { key }));
    expect(all.pagination.total_items).toBe(kept.length);
  });
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Returns how many table rows a statement reads when run as the server runs it. */
async function rowsLookedAt({ id }: TestTenant, { text, values = [] }: SentStatement): Promise<number> {
  const client = await vault.database.owner.connect();
  try {
    await client.query('begin; set local role strongroom_app');
    await client.query(`select set_config('app.tenant_id', $1, true)`, [id]);
    const { rows } = await client.query(`explain (analyze, format json) ${text}`, [...values]);
    const [{ 'QUERY PLAN': plans }] = rows as [{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }];
    return plans.reduce((sum, { Plan }) => sum + rowsOf(Plan), 0);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

function rowsOf(node: PlanNode): number {
  const ofTable = node['Node Type'].endsWith(' Scan') && !/CTE|Subquery|Function/.test(node['Node Type']);
  const own = ofTable ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] : 0;
  return own + (node.Plans ?? []).reduce((sum, plan) => sum + rowsOf(plan), 0);
}

describe('lists beside thousands of sets', () => {
  const planted = 3_000;
  let tenant: TestTenant;
  let limitedKey: string;

  beforeAll(async () => {
    tenant = await vault.makeTenant();
    const rule = { description: '', priority: 1, container: '/mine/', transform: 'mask' };
    const rules = [{ ...rule, permissions: ['token:read', 'token:search'] }];
    limitedKey = (await createApplication(vault, tenant, { permissions: [], rules })).key;
    await post('/tokenize', tenant.keys.private, [tokenIn('/mine/'), tokenIn('/mine/a/', '/b/'), tokenIn('/c/')]);
    // These counters imitate a tenant from before the limit existed.
    await vault.database.owner.query(
      `insert into token_counts (tenant_id, type, containers, slot, tokens)
        select $1, 'token', array['/planted/' || i || '/'], 64, 1 from generate_series(1, $2::int) as i`,
      [tenant.id, planted],
    );
    // The table statistics determine PostgreSQL's plan. Without this, autovacuum would analyze the table at an
    // unpredictable time.
    await vault.database.owner.query('analyze');
  });

  it.each([
    ['GET', '/tokens', 'private'],
    ['GET', '/tokens?page=2&size=1', 'private'],
    ['GET', '/tokens?container=/mine/', 'private'],
    ['GET', '/v2/tokens?container=/mine/', 'private'],
    ['GET', '/tokens?container=/c/&container=/mine/*', 'private'],
    ['GET', '/tokens', 'limited'],
    ['GET', '/v2/tokens', 'limited'],
    ['GET', '/tokens?container=/b/', 'limited'],
    ['GET', '/tokens?type=token', 'limited'],
  ] as const)('%s %s with a %s key take no more of them than match', async (method, path, who) => {
    const key = who === 'limited' ? limitedKey : tenant.keys.private;
    const tap = new StatementTap();
    try {
      const sent = await tap.during(async () => pageOf(await vault.request(method, path, { key })), '');
      const aboutSets = sent.filter(({ text }) => /\b(token_counts|token_sets|token_totals)\b/.test(text));
      expect(aboutSets.length).toBeLessThanOrEqual(1);
      for (const statement of aboutSets) expect(await rowsLookedAt(tenant, statement)).toBeLessThan(200);
    } finally {
      tap.close();
    }
  });

  it('tell the totals that there are', async () => {
    const total = async (path: string, key: string) =>
      pageOf(await vault.request('GET', path, { key })).pagination.total_items;
    expect(await total('/tokens?size=1', tenant.keys.private)).toBe(planted + 3);
    expect(await total('/tokens?size=1&container=/planted/*', tenant.keys.private)).toBe(planted);
    expect(await total('/tokens', limitedKey)).toBe(2);
    expect(await total('/tokens?type=token', limitedKey)).toBe(2);
  });

  it.each(['/tokens?size=20', '/v2/tokens?size=20', '/tokens?page=3&size=20', '/v2/tokens?size=100&container=/mine/*'])(
    'GET %s looks at no token of another set, with as many in sight as public keys may make in a day',
    async (path) => {
      await vault.database.owner.query(
        `insert into token_counts (tenant_id, type, containers, slot, tokens)
          select $1, 'token', array['/mine/' || i || '/'], 64, 1 from generate_series(1, 1000) as i on conflict do nothing`,
        [tenant.id],
      );
      const tap = new StatementTap();
      try {
        const sent = await tap.during(
          async () => pageOf(await vault.request('GET', path, { key: limitedKey })),
          'from tokens t',
        );
        const pages = sent.filter(({ text }) => text.startsWith('with page'));
        expect(pages.map(({ text }) => text.includes('t.shelf = wanted.shelf'))).toEqual([true]);
        for (const statement of sent) expect(await rowsLookedAt(tenant, statement)).toBeLessThan(10_000);
      } finally {
        tap.close();
      }
    },
  );
});
