import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication, recordsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

const termsOf = async (id: string) => {
  const { rows } = await vault.database.owner.query(
    `select encode(term, 'hex') as term from token_terms where token_id = $1 order by term`,
    [id],
  );
  return (rows as { term: string }[]).map(({ term }) => term);
};
/** Returns a tenant's number of tokens by type and containers, according to the counters. */
const countsOf = async (tenantId: string) => {
  const { rows } = await vault.database.owner.query(
    `select type, array_to_string(containers, ' ') as containers, sum(tokens)::int as tokens from token_counts
     where tenant_id = $1 group by 1, 2 having sum(tokens) <> 0 order by 1, 2`,
    [tenantId],
  );
  return (rows as { type: string; containers: string; tokens: number }[]).map((row) => Object.values(row).join(' '));
};
const reportOf = async (own: TestTenant) =>
  (await vault.request('GET', '/tenants/self/reports/usage', { key: own.keys.management })).body as {
    total_tokens: number;
    token_report: { metrics_by_type: Record<string, { count: number; last_created_at: string }> };
  };

describe('search terms', () => {
  it('are one for each index value and metadata pair, each once', async () => {
    const search_indexes = ['{{ data.a }}', '{{ data.b }}', '{{ data.a }}'];
    const { id } = await tokens.make({ data: { a: 'x', b: 'y' }, search_indexes, metadata: { k: 'x', l: 'x' } });
    expect(await termsOf(id)).toHaveLength(4);
  });

  it('follow the data: what left is gone, what stayed is the same', async () => {
    const { id } = await tokens.make({ data: { a: 'x', b: 'y' }, search_indexes: ['{{ data.a }}', '{{ data.b }}'] });
    const before = await termsOf(id);
    await tokens.patch(id, { data: { a: 'z' } });
    const after = await termsOf(id);
    expect(after).toHaveLength(2);
    expect(after.filter((term) => before.includes(term))).toHaveLength(1);
    await tokens.patch(id, { data: { a: 'x' } });
    expect(await termsOf(id)).toStrictEqual(before);
  });

  it('follow the indexes, the metadata, and neither of them where nothing changed', async () => {
    const { id } = await tokens.make({ data: { a: 'x', b: 'y' } });
    const step = async (patch: unknown) => {
      expect((await tokens.patch(id, patch)).status).toBe(200);
      return termsOf(id);
    };
    expect(await step({})).toStrictEqual([]);
    const indexed = await step({ search_indexes: ['{{ data.a }}'] });
    expect(indexed).toHaveLength(1);
    expect(await step({ data: { b: 'changed' } })).toStrictEqual(indexed);
    const withMetadata = await step({ metadata: { k: 'v' } });
    expect(withMetadata).toHaveLength(2);
    expect(withMetadata).toEqual(expect.arrayContaining(indexed));
    expect(await step({ metadata: { k: 'V' } })).toStrictEqual(withMetadata);
    expect(await step({ metadata: { k: null } })).toStrictEqual(indexed);
    expect(await step({ search_indexes: null })).toStrictEqual([]);
  });

  it('are of the tenant: the same value has other terms elsewhere', async () => {
    const other = await vault.makeTenant();
    const body = { data: 'x', search_indexes: ['{{ data }}'] };
    const [ours, theirs] = [await tokens.make(body), await tokens.make(body, { key: other.keys.reveal })];
    expect(await termsOf(ours.id)).not.toStrictEqual(await termsOf(theirs.id));
  });

  it('leave with the token, as everything else does that was written for it', async () => {
    const data = { number: '4242424242424242', cvc: '123' };
    const { id } = await tokens.make({
      type: 'card',
      data,
      metadata: { k: 'v' },
      search_indexes: ['{{ data.number }}'],
    });
    expect(await termsOf(id)).toHaveLength(2);
    await tokens.delete(id);
    const { rows } = await vault.database.owner.query(
      `select (select count(*) from tokens where id = $1) + (select count(*) from token_terms where token_id = $1)
        + (select count(*) from token_cvcs where token_id = $1) as rows`,
      [id],
    );
    expect(rows).toStrictEqual([{ rows: '0' }]);
  });
});

describe('counters', () => {
  it('follow creating, moving and deleting, by type and containers', async () => {
    const own = await vault.makeTenant();
    const options = { key: own.keys.reveal };
    const first = await tokens.make({ data: 1 }, options);
    const second = await tokens.make({ data: 2, containers: ['/a/', '/b/'] }, options);
    await tokens.make({ type: 'card_number', data: '4242424242424242' }, options);
    const before = await reportOf(own);
    expect(before).toMatchObject({
      total_tokens: 3,
      token_report: {
        metrics_by_type: { token: { count: 2, last_created_at: second.created_at }, card_number: { count: 1 } },
      },
    });
    await tokens.patch(first.id, { containers: ['/a/'] }, options);
    await tokens.patch(second.id, { data: 3 }, options);
    expect(await countsOf(own.id)).toStrictEqual(['card_number /pci/high/ 1', 'token /a/ 1', 'token /a/ /b/ 1']);
    expect(await reportOf(own)).toStrictEqual(before);
    await tokens.delete(first.id, options);
    await tokens.delete(second.id, options);
    expect(await countsOf(own.id)).toStrictEqual(['card_number /pci/high/ 1']);
    expect((await reportOf(own)).token_report.metrics_by_type).not.toHaveProperty('token');
  });

  it('are not moved by what was refused', async () => {
    const own = await vault.makeTenant();
    const options = { key: own.keys.reveal };
    const { id } = await tokens.make({ data: 1 }, options);
    await tokens.create({ id, type: 'token', data: 1 }, options);
    await tokens.create({ type: 'token', data: 1, deduplicate_token: true }, options);
    await tokens.patch(id, { containers: ['/a/'], mask: '{{' }, options);
    await tokens.delete('missing', options);
    expect(await countsOf(own.id)).toStrictEqual(['token /general/high/ 1']);
  });

  it('agree with the rows after many writers at once', async () => {
    const own = await vault.makeTenant();
    const options = { key: own.keys.reveal };
    const made = await Promise.all(Array.from({ length: 40 }, (_, index) => tokens.make({ data: index }, options)));
    await Promise.all(
      made.map(({ id }, index) =>
        index % 4 === 0 ? tokens.delete(id, options) : tokens.patch(id, { containers: [`/c${index % 4}/`] }, options),
      ),
    );
    expect(await countsOf(own.id)).toStrictEqual(['token /c1/ 10', 'token /c2/ 10', 'token /c3/ 10']);
  });
});

describe('moving a token', () => {
  const mover = async (rules: readonly (readonly [container: string, ...permissions: string[]])[]) => {
    const { key } = await createApplication(vault, tenant, {
      permissions: [],
      rules: rules.map(([container, ...permissions], index) => ({
        priority: index + 1,
        container,
        transform: 'reveal',
        permissions,
      })),
    });
    return new TokenEndpoints(vault, key);
  };

  it('200 with the permission on the source and on each destination', async () => {
    const caller = await mover([
      ['/a/', 'token:update'],
      ['/b/', 'token:update'],
      ['/c/', 'token:update'],
    ]);
    const { id } = await tokens.make({ data: 1, containers: ['/a/'] });
    const answer = await caller.patch(id, { containers: ['/B/', '/c/d/'] });
    expect(answer).toMatchObject({ status: 200, body: { containers: ['/b/', '/c/d/'], data: 1 } });
    expect(tokenOf(await tokens.get(id)).containers).toStrictEqual(['/b/', '/c/d/']);
  });

  it('200 where the token stays in what the caller may not write, and only adds what it may', async () => {
    const caller = await mover([['/a/', 'token:update']]);
    const { id } = await tokens.make({ data: 1, containers: ['/a/', '/z/'] });
    expect((await caller.patch(id, { containers: ['/a/b/', '/z/'] })).status).toBe(200);
  });

  it.each([
    ['a destination', [['/a/', 'token:update']], ['/a/b/', '/z/'], '/z/'],
    [
      'a destination that it may only read',
      [
        ['/a/', 'token:update'],
        ['/', 'token:read', 'token:create'],
      ],
      ['/z/'],
      '/z/',
    ],
    ['the root', [['/a/', 'token:update']], ['/'], '/'],
    ['the default container', [['/a/', 'token:update']], null, '/general/high/'],
    ['the source', [['/z/', 'token:update']], ['/z/'], '/a/'],
  ] as const)(
    '403 without the permission on %s, and the token stays where it is',
    async (_name, rules, containers, missing) => {
      const caller = await mover(rules);
      const { id } = await tokens.make({ data: 1, containers: ['/a/'] });
      const answer = await caller.patch(id, { containers, data: 2 });
      expect(answer).toMatchObject({
        status: 403,
        body: { detail: `Missing permission: token:update on container ${missing}` },
      });
      expect((await tokens.get(id)).body).toMatchObject({ containers: ['/a/'], data: 1 });
      const updates = (await recordsOf(vault, tenant, id)).filter(
        ({ operation, outcome }) => operation === 'update' && outcome === 'success',
      );
      expect(updates).toHaveLength(0);
    },
  );
});
