import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TenantId } from '../../src/core/identity/ids.ts';
import { forgetEmptySets } from '../../src/features/tokens/upkeep/empty-set-store.ts';
import { untilTrue } from '../harness/deadline.ts';
import { StatementTap } from '../harness/statement-tap.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';
import { pageOf } from '../harness/token-answers.ts';

let vault: TestVault;
beforeAll(async () => {
  vault = await TestVault.start();
});
afterAll(() => vault.stop());

const tokenIn = (...containers: string[]) => ({ type: 'token', data: 'v', containers });
const post = (path: string, key: string, body: unknown) => vault.request('POST', path, { key, body });

async function isSomebodyWaiting(): Promise<boolean> {
  const { rowCount } = await vault.database.owner.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rowCount !== 0;
}

describe('a write beside the sweep of empty sets', () => {
  /** Sweeps once and starts the write after one of the statements. Returns how often each of the two was tried. */
  async function sweepBeside(tenant: TestTenant, after: number, write: () => Promise<TestResponse>) {
    const { database } = vault.server.core;
    const tenantId = tenant.id as TenantId;
    let writing: Promise<TestResponse> | undefined;
    let isOver = false;
    let sweeps = 0;
    const tap = new StatementTap();
    try {
      const inserts = await tap.during(async () => {
        await database.forTenant(tenantId, (tx) => {
          sweeps += 1;
          let count = 0;
          const query: typeof tx.query = async (statement) => {
            const rows = await tx.query<never>(statement);
            count += 1;
            if (count === after) {
              writing ??= write().finally(() => {
                isOver = true;
              });
              await untilTrue(async () => isOver || (await isSomebodyWaiting()), {
                waitingFor: 'the write',
              });
            }
            return rows;
          };
          return forgetEmptySets({ query }, tenantId, 100);
        });
        await writing;
      }, 'insert into token_counts');
      return { status: (await writing)?.status, sweeps, writes: inserts.length };
    } finally {
      tap.close();
    }
  }

  const statements = [1, 2, 3, 4, 5, 6, 7];
  const writes = [
    ['fills one of them from another server', '/a/'],
    ['fills one of them', '/b/'],
    ['makes a new set', '/new/'],
  ] as const;
  it.each(statements.flatMap((after) => writes.map(([what, container]) => [what, after, container] as const)))(
    'that %s after statement %i neither fails nor has to be repeated',
    async (_what, after, container) => {
      const tenant = await vault.makeTenant();
      const key = tenant.keys.private;
      for (const id of ['a', 'b']) {
        expect((await post('/tokens', key, { ...tokenIn(`/${id}/`), id: `was-${id}` })).status).toBe(201);
        expect((await vault.request('DELETE', `/tokens/was-${id}`, { key })).status).toBe(204);
      }
      // This imitates a set that was used by another server, which updates different counters.
      await vault.database.owner.query(
        `update token_counts set slot = (slot + 7) % 64 where tenant_id = $1 and containers = '{/a/}'`,
        [tenant.id],
      );
      const write = () => post('/tokens', key, tokenIn(container));
      expect(await sweepBeside(tenant, after, write)).toEqual({ status: 201, sweeps: 1, writes: 1 });
      const page = pageOf(await vault.request('GET', `/tokens?container=${container}`, { key }));
      expect(page.pagination.total_items).toBe(1);
      expect(pageOf(await vault.request('GET', '/tokens', { key })).pagination.total_items).toBe(1);
      const { rows } = await vault.database.owner.query(
        `select sets = (select count(distinct shelf) from token_sets s where s.tenant_id = $1)
          and sets = (select count(distinct shelf) from token_counts c where c.tenant_id = $1) as "isRight"
          from token_set_totals where tenant_id = $1`,
        [tenant.id],
      );
      expect(rows).toEqual([{ isRight: true }]);
    },
  );
});

describe('a sweep behind a write that does not end', () => {
  it('gives up, so that the writes behind it go on, and forgets the sets the next time', async () => {
    const tenant = await vault.makeTenant();
    const tenantId = tenant.id as TenantId;
    const key = tenant.keys.private;
    expect((await post('/tokens', key, { ...tokenIn('/a/'), id: 'left' })).status).toBe(201);
    expect((await vault.request('DELETE', '/tokens/left', { key })).status).toBe(204);
    const { database } = vault.server.core;
    const sweep = () => database.forTenant(tenantId, (tx) => forgetEmptySets(tx, tenantId, 100));
    const writer = await vault.database.owner.connect();
    try {
      await writer.query('begin');
      await writer.query('select lock_token_sets($1, false)', [tenantId]);
      const startedAt = performance.now();
      const swept = sweep();
      await untilTrue(isSomebodyWaiting, { waitingFor: 'the sweep' });
      expect((await post('/tokens', key, tokenIn('/b/'))).status).toBe(201);
      expect(await swept).toBe(0);
      // The sweep gives up after a second. The additional time is an allowance for a slow machine.
      expect(performance.now() - startedAt).toBeLessThan(15_000);
    } finally {
      await writer.query('rollback');
      writer.release();
    }
    expect(await sweep()).toBe(1);
  });
});
