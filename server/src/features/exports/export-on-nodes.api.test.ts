import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ExportFolder } from '../../../test/harness/export-run.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { ExportApprovals } from './index.ts';

const tokens = 1_300;
let vault: TestVault;
let tenant: TestTenant;
let folder: ExportFolder;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  tenant = await vault.makeTenant();
  folder = await ExportFolder.make();
  for (let from = 0; from < tokens; from += 100)
    await Promise.all(
      // Ids that a database sorts otherwise than by their bytes, unless it is told to.
      Array.from({ length: 100 }, (_, index) =>
        vault.request('POST', '/tokens', {
          key: tenant.keys.private,
          body: {
            id: `${index % 2 === 0 ? 'Id' : 'id'}-${from + index}`,
            type: 'token',
            data: `value ${from + index}`,
          },
        }),
      ),
    );
});
afterAll(async () => {
  await vault.stop();
  await folder.remove();
});

it('has each token of every node once, in the order of ids, with its record on the node that it was read from', async () => {
  const { id } = await folder.request(vault, tenant);
  expect(await new ExportApprovals(vault.server.core.nodes).list(parseTenantId(tenant.id))).toMatchObject([
    { id, tokensNow: tokens },
  ]);
  const report = await folder.run(vault, tenant, id, folder.path('all.age'));
  expect(report.tokens).toBe(tokens);
  const [, ...lines] = (await readFile(await folder.decryptAge(folder.path('all.age')), 'utf8')).trim().split('\n');
  const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
  expect(ids).toHaveLength(tokens);
  expect(new Set(ids).size).toBe(tokens);
  const { rows: sorted } = await vault.database.owner.query<{ id: string }>(
    'select id from unnest($1::text[]) as id order by id',
    [ids],
  );
  expect(ids).toEqual(sorted.map((row) => row.id));
  for (const { database } of vault.nodes) {
    const { rows } = await database.owner.query(
      `select count(*)::integer as tokens, count(r.id)::integer as records, count(distinct r.id)::integer as once
        from tokens t left join audit_records r on r.tenant_id = t.tenant_id and r.entity_id = t.id and r.operation = 'read'
        where t.tenant_id = $1`,
      [tenant.id],
    );
    const [{ tokens: own }] = rows as [{ tokens: number }];
    expect(own).toBeGreaterThan(0);
    expect(rows).toEqual([{ tokens: own, records: own, once: own }]);
  }
});
