import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StatementTap } from '../../../../test/harness/statement-tap.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { idsOf, pageOf } from '../../../../test/harness/token-answers.ts';
import { TokenEndpoints } from '../../../../test/harness/token-endpoints.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
let tap: StatementTap;
/** Newest first. */
let listed: string[];
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
  for (let data = 0; data < 20; data += 1) await tokens.make({ data, metadata: { group: 'all' } });
  listed = idsOf(pageOf(await list('?size=100')));
});
beforeEach(() => {
  tap = new StatementTap();
});
afterEach(() => tap.close());
afterAll(() => vault.stop());

const list = (query: string) => vault.request('GET', `/tokens${query}`, { key: tenant.keys.reveal });

describe('a late page by number', () => {
  it.each(['', '&metadata.group=all', '&type=token'])(
    'has the tokens that follow the page before (%s)',
    async (filter) => {
      expect(listed).toHaveLength(20);
      for (const page of [1, 2, 3, 4, 5]) {
        const answer = pageOf(await list(`?size=6&page=${page}${filter}`));
        expect(idsOf(answer)).toEqual(listed.slice(6 * (page - 1), 6 * page));
        expect(answer.pagination).toMatchObject({ total_items: 20, total_pages: 4 });
      }
    },
  );

  it('reads no whole rows of the tokens before it', async () => {
    const page = await tap.during(() => list('?size=3&page=5'), 't.data');
    expect(page).toHaveLength(3);
    for (const { values = [] } of page) expect(values).toContainEqual(listed.slice(12, 15));
  });

  it('leaves out a token that changes before it is read, and is none of those asked for any more', async () => {
    const [gone = ''] = listed.slice(13, 14);
    const change = (group: string) => tokens.patch(gone, { metadata: { group } });
    // Each of the three databases says what it holds after it has listed its tokens.
    let said = 0;
    tap.interrupt(
      ({ name }) => name === 'node-state' && ++said === 3,
      () => change('other'),
    );
    const answer = await list('?size=3&page=5&metadata.group=all');
    expect(idsOf(pageOf(answer))).toEqual(listed.slice(12, 15).filter((id) => id !== gone));
    await change('all');
  });

  it('is refused if too many come before it, and empty where nothing is', async () => {
    const beyond = await list('?size=100&page=100000');
    expect([beyond.status, pageOf(beyond).data]).toEqual([200, []]);
    // As many as no test can create.
    const [{ database } = { database: vault.database }] = vault.nodes;
    const count = `insert into token_counts (tenant_id, type, containers, slot, tokens) values ($1, 'token', '{/many/}', 63, $2)`;
    await database.owner.query(count, [tenant.id, 200_000]);
    expect(await list('?size=100&page=1001')).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('pages by number end at 100,000 tokens') },
    });
    await database.owner.query(`delete from token_counts where containers = '{/many/}'`);
  });
});
