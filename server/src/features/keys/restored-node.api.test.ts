import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestDatabase } from '../../../test/harness/test-database.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { nodeAt } from '../../../test/harness/two-nodes.ts';
import { parseTenantId, type TenantId } from '../../core/identity/ids.ts';
import { sealedAnswers } from '../idempotency/index.ts';
import { sealedTokens } from '../tokens/index.ts';
import { rotateDataKey } from './data-rotation.ts';
import { KeyRetirement } from './key-retirement.ts';
import { Reencryption } from './reencryption.ts';

// What docs/operate/scale-out.md says about a node that is restored to a state before a re-encryption.

const run = promisify(execFile);
const tables = [sealedTokens, sealedAnswers];
let vault: TestVault;
let tenant: TestTenant;
let tenantId: TenantId;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  tenant = await vault.makeTenant();
  tenantId = parseTenantId(tenant.id);
});
afterAll(() => vault.stop());

async function psql({ url }: TestDatabase, command: string, input = ''): Promise<string> {
  const running = run('psql', [url, '-c', command]);
  running.child.stdin?.end(input);
  return (await running).stdout;
}

async function createTokens(): Promise<string[]> {
  const body = { type: 'token', data: 'Sensitive Value' };
  const create = () => vault.request('POST', '/tokens', { key: tenant.keys.private, body });
  const answers = await Promise.all(Array.from({ length: 10 }, create));
  return answers.map((answer) => (answer.body as { id: string }).id);
}

async function readAll(ids: readonly string[]): Promise<ReadonlySet<unknown>> {
  const get = (id: string) => vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal });
  const answers = await Promise.all(ids.map(get));
  return new Set(answers.map(({ status, body }) => (status === 200 ? (body as { data: unknown }).data : status)));
}

const reencrypt = () => {
  const { nodes, keyring } = vault.server.core;
  const fast = { rowsPerSecond: 1_000_000, onProgress: () => undefined };
  return new Reencryption({ nodes, keyring, tables, settleMs: 0 }).run(tenantId, fast);
};
const retire = () =>
  new KeyRetirement({ nodes: vault.server.core.nodes, tables, closedForMinMs: 0 }).run(tenantId, () => undefined);

it('is read again when the key that was retired is copied from a backup of home', async () => {
  const node = nodeAt(vault, 0);
  const ids = await createTokens();
  const keys = `copy (select tenant_id, purpose, version, root_key, wrapped, canary, created_at, now() from tenant_keys
    where tenant_id = '${tenant.id}' and purpose = 'data' and version = 1) to stdout`;
  const backup = {
    key: await psql(vault.database, keys),
    tokens: (await node.owner.query('select id, data from tokens')).rows as { id: string; data: Buffer }[],
  };
  await rotateDataKey(vault.server.core, tenantId);
  await reencrypt();
  expect((await retire()).retired).toEqual([1]);

  for (const { id, data } of backup.tokens) {
    await node.owner.query('update tokens set data = $2 where id = $1', [id, data]);
  }
  await node.owner.query('delete from reencryptions');
  await node.owner.query(`delete from tenant_keys where purpose = 'data' and version = 2`);
  await node.owner.query('update tenant_keys set closed_at = null');
  expect(await readAll(backup.tokens.map(({ id }) => id))).not.toContain('Sensitive Value');

  const columns = 'tenant_id, purpose, version, root_key, wrapped, canary, created_at, closed_at';
  await psql(vault.database, `copy tenant_keys (${columns}) from stdin`, backup.key);
  expect(await readAll(ids)).toEqual(new Set(['Sensitive Value']));
  expect(await reencrypt()).toMatchObject({ targetVersion: 2, unreadable: [] });
  expect((await retire()).retired).toEqual([1]);
  expect(await readAll(ids)).toEqual(new Set(['Sensitive Value']));
});
