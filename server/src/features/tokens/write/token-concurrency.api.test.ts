import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../../test/harness/deadline.ts';
import { recordsOf } from '../../../../test/harness/test-application.ts';
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

const numbered = (count: number) => Array.from({ length: count }, (_, index) => index);
const members = (count: number) => Object.fromEntries(numbered(count).map((index) => [`k${index}`, index]));
const versionOf = async (id: string) => {
  const { rows } = await vault.database.owner.query('select version from tokens where id = $1', [id]);
  return (rows[0] as { version: number } | undefined)?.version;
};

describe('patches of one token that arrive together', () => {
  it('end with the members of all 500, in some order of one after the other', async () => {
    const { id } = await tokens.make({ data: {} });
    const answers = await Promise.all(
      numbered(500).map((index) => tokens.patch(id, { data: { [`k${index}`]: index } })),
    );
    expect(answers.filter(({ status }) => status !== 200)).toStrictEqual([]);
    expect(tokenOf(await tokens.get(id)).data).toEqual(members(500));
    expect(await versionOf(id)).toBe(501);
    const updates = (await recordsOf(vault, tenant, id)).filter(({ operation }) => operation === 'update');
    expect(updates).toHaveLength(500);
    // Each response shows the token after its own patch, with one member more than the previous one.
    const sizes = answers.map((answer) => Object.keys(tokenOf(answer).data as object).length);
    expect(sizes.sort((a, b) => a - b)).toStrictEqual(numbered(500).map((index) => index + 1));
  });

  it('end with the members of all 100 across two servers', async () => {
    const { url } = await vault.startAnother();
    const { id } = await tokens.make({ data: {} });
    const answers = await Promise.all(
      numbered(100).map((index) =>
        tokens.patch(id, { data: { [`k${index}`]: index } }, index % 2 === 0 ? {} : { url }),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200)).toStrictEqual([]);
    expect(tokenOf(await tokens.get(id)).data).toEqual(members(100));
    expect(await versionOf(id)).toBe(101);
  });

  it('keep metadata, terms and counters whole', async () => {
    const own = await vault.makeTenant();
    const options = { key: own.keys.reveal };
    const { id } = await tokens.make({ data: 1 }, options);
    const patches = numbered(40).map((index) => ({
      metadata: { [`k${index}`]: 'v' },
      containers: [`/c${index % 3}/`],
    }));
    await Promise.all(patches.map((patch) => tokens.patch(id, patch, options)));
    const token = tokenOf(await tokens.get(id, options));
    expect(Object.keys(token.metadata ?? {})).toHaveLength(40);
    const { rows } = await vault.database.owner.query(
      `select (select count(*)::int from token_terms where token_id = $1) as terms,
        (select array_agg(containers[1]) from (select containers from token_counts where tenant_id = $2
          group by containers having sum(tokens) <> 0) shelves) as shelves`,
      [id, own.id],
    );
    expect(rows).toStrictEqual([{ terms: 40, shelves: [...token.containers] }]);
  });

  it('fail one by one: a patch that is refused does not stop the others', async () => {
    const { id } = await tokens.make({ data: {} });
    const answers = await Promise.all(
      numbered(30).map((index) => tokens.patch(id, index % 3 === 0 ? { mask: '{{' } : { data: { [`k${index}`]: 1 } })),
    );
    expect(answers.map(({ status }) => status)).toStrictEqual(
      numbered(30).map((index) => (index % 3 === 0 ? 400 : 200)),
    );
    expect(Object.keys(tokenOf(await tokens.get(id)).data as object)).toHaveLength(20);
  });
});

describe('patches and a delete that arrive together', () => {
  it('leave no token behind, no matter who comes first', async () => {
    const own = await vault.makeTenant();
    const options = { key: own.keys.reveal };
    for (const round of numbered(15)) {
      const data = { number: '4242424242424242', cvc: '123' };
      const { id } = await tokens.make({ type: 'card', data, search_indexes: ['{{ data.number }}'] }, options);
      const patches = numbered(8).map((index) =>
        tokens.patch(id, { data: { cvc: `${100 + index}` }, metadata: { [`k${index}`]: 'v' } }, options),
      );
      const deleting = tokens.delete(id, options);
      const [deleted, ...patched] = await Promise.all([deleting, ...patches]);
      expect(`${round}: ${deleted.status}`).toBe(`${round}: 204`);
      expect(patched.every(({ status }) => status === 200 || status === 404)).toBe(true);
      expect((await tokens.get(id, options)).status).toBe(404);
    }
    const { rows } = await vault.database.owner.query(
      `select (select count(*) from tokens where tenant_id = $1) as tokens, (select count(*) from token_terms where tenant_id = $1) as terms,
        (select count(*) from token_cvcs where tenant_id = $1) as cvcs, (select sum(tokens) from token_counts where tenant_id = $1) as counted`,
      [own.id],
    );
    expect(rows).toStrictEqual([{ tokens: '0', terms: '0', cvcs: '0', counted: '0' }]);
  });

  it('have one delete win over 200 patches', async () => {
    const { id } = await tokens.make({ data: {} });
    const patching = numbered(200).map((index) => tokens.patch(id, { data: { [`k${index}`]: 1 } }));
    const deleted = await tokens.delete(id);
    const patched = await Promise.all(patching);
    expect(deleted.status).toBe(204);
    expect(patched.every(({ status }) => status === 200 || status === 404)).toBe(true);
    const records = await recordsOf(vault, tenant, id);
    expect(records.filter(({ operation, outcome }) => operation === 'update' && outcome === 'success')).toHaveLength(
      patched.filter(({ status }) => status === 200).length,
    );
    expect(await versionOf(id)).toBeUndefined();
  });
});

describe('an id that changes hands during a patch', () => {
  it('never gets the content of the token that was deleted', async () => {
    const own = await vault.makeTenant();
    const ours = new TokenEndpoints(vault, own.keys.reveal);
    const { owner } = vault.database;
    const id = `reused-${crypto.randomUUID()}`;
    const take = async () =>
      (await owner.query('select * from tokens where id = $1', [id])).rows[0] as Record<string, unknown>;

    // Two tokens have the same id and version. The row of the later one is saved, and restored at the right moment.
    await ours.make({ id, data: { owner: 'new' } });
    const later = await take();
    await ours.delete(id);
    await ours.make({ id, data: { owner: 'old', secret: 'of the old' } });

    // Between its read and its write, a patch reads the tenant's settings. A server that just started has not cached
    // them, so the patch can be blocked there.
    const { url } = await vault.startAnother();
    expect((await ours.get('nobody', { url })).status).toBe(404);
    const blocker = await owner.connect();
    await blocker.query('begin; lock table tenants in access exclusive mode');
    const isWaiting = async () => {
      const { rows } = await owner.query(`select from pg_locks where not granted and relation = 'tenants'::regclass`);
      return rows.length > 0;
    };
    const patching = ours.patch(id, { data: { patched: true } }, { url });
    await untilTrue(isWaiting, { waitingFor: 'the patch to ask for the settings' });
    await owner.query('delete from tokens where id = $1', [id]);
    const columns = Object.keys(later);
    await owner.query(
      `insert into tokens (${columns.join(', ')}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
      Object.values(later),
    );
    await blocker.query('rollback');
    blocker.release();

    expect(await patching).toMatchObject({ status: 200 });
    expect(tokenOf(await ours.get(id)).data).toStrictEqual({ owner: 'new', patched: true });
  });
});
