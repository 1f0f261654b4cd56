import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MovingVault } from '../../../test/harness/moving-vault.ts';
import { listDatabases, listDisorder } from '../../../test/harness/node-inventory.ts';
import type { MoveStep } from '../../platform/nodes/moving/move-step.ts';
import { purgeTenantJob } from './index.ts';

let moved: MovingVault;
beforeAll(async () => {
  moved = await MovingVault.start();
});
afterAll(() => moved.vault.stop());

describe('a tenant that is deleted while its tokens move', () => {
  it.each<MoveStep>(['copied', 'leaving', 'uncounted', 'held'])('after "%s" leaves nothing behind', async (step) => {
    const gone = await moved.vault.makeTenant();
    for (let number = 0; number < 10; number += 1) await moved.create(gone, `gone${number}`);
    const shown = await moved.showAll();
    await moved.move('node-1', 'node-2', {
      async onStep(done) {
        if (done !== step) return;
        const answer = await moved.vault.request('DELETE', '/tenants/self', { key: gone.keys.management });
        expect(answer.status).toBe(204);
        await purgeTenantJob(moved.vault.server.core.nodes).run({ tenant_id: gone.id });
      },
    });
    expect(await listDisorder(moved.vault)).toEqual([]);
    expect(await moved.showAll()).toEqual(shown);
    await moved.move('node-2', 'node-1');
    for (const { database } of listDatabases(moved.vault)) {
      for (const table of ['tokens', 'token_terms', 'token_counts', 'token_totals', 'drawer_arrivals']) {
        const { rowCount } = await database.owner.query(`select 1 from ${table} where tenant_id = $1`, [gone.id]);
        expect([table, rowCount]).toEqual([table, 0]);
      }
    }
  });
});
