import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sealAll, signerOf, untilSealable } from '../../../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { type Anchor, fileAnchor } from './anchor.ts';
import { compareWithAnchor } from '../verify/anchor-comparison.ts';
import { Anchoring } from './anchoring.ts';
import { LogReader } from '../verify/log-reader.ts';
import { verifyDatabase } from '../verify/log-verification.ts';
import { Sealer } from './sealer.ts';

let vault: TestVault;
let tenant: TestTenant;
let directory: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-anchor-'));
});
afterAll(async () => {
  await vault.stop();
  await rm(directory, { recursive: true });
});

const createToken = () =>
  vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: 'x' } });

/**
 * Seals everything that is committed. It first waits for transactions of other tests to end, because they block
 * sealing.
 */
async function sealWith(sealer: Sealer) {
  await untilSealable(vault.database);
  return (await sealer.seal()).checkpoints;
}

it('appends checkpoints to a file, and believes no line of it that this vault did not sign', async () => {
  const file = path.join(directory, 'anchor.ndjson');
  const sealer = new Sealer({ database: vault.database.open(), signer: signerOf(vault.server) });
  const anchoring = await Anchoring.start(vault.database.open(), fileAnchor(file));
  for (let round = 0; round < 3; round += 1) {
    await createToken();
    anchoring.add(await sealWith(sealer));
    await anchoring.deliver();
  }
  await anchoring.deliver();
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  expect(lines).toHaveLength(3);
  const forged = lines.at(-1)?.replace(/"number":\d+/, '"number":999') ?? '';
  await appendFile(file, `${forged}\n{"tenant_id":"half of a li`);
  const reader = new LogReader(vault.database.open());
  const { publicKey } = signerOf(vault.server);
  const compare = () => compareWithAnchor(file, publicKey, (id, numbers) => reader.findRoots(id, numbers));
  expect(await compare()).toEqual({ findings: [], foreignLines: 2, newest: new Map([[tenant.id, 3]]) });

  // Another process continues the file with the incomplete line.
  await createToken();
  await fileAnchor(file).append(await sealWith(sealer));
  expect(await compare()).toEqual({ findings: [], foreignLines: 2, newest: new Map([[tenant.id, 4]]) });
});

it('shows a log that was cut back and has grown again since', async () => {
  const file = path.join(directory, 'fork.ndjson');
  const anchor = fileAnchor(file);
  const sealer = new Sealer({ database: vault.database.open(), signer: signerOf(vault.server) });
  await createToken();
  await anchor.append(await sealWith(sealer));
  const own = (table: string) => `${table} where tenant_id = '${tenant.id}'`;
  const newest = `(select max(number) from ${own('audit_checkpoints')})`;
  const { rows } = await vault.database.owner.query<{ order_to: string }>(
    `select order_to from ${own('audit_checkpoints')} and number = ${newest} - 1`,
  );
  await vault.database.owner.query(`delete from ${own('audit_records')} and sealing_order >= ${rows[0]?.order_to}`);
  await vault.database.owner.query(`delete from ${own('audit_checkpoints')} and number = ${newest}`);
  for (let round = 0; round < 3; round += 1) {
    await createToken();
    await anchor.append(await sealWith(sealer));
  }
  const reader = new LogReader(vault.database.open());
  const { publicKey } = signerOf(vault.server);
  const verdict = await verifyDatabase({ reader, publicKey }, tenant.id, {
    anchorFile: file,
    onProgress: () => undefined,
  });
  expect(verdict.findings).toMatchObject([{ kind: 'anchor-differs', tenantId: tenant.id }]);
});

it('keeps the newest of each tenant while the anchor is away, and brings it after a restart', async () => {
  await createToken();
  await sealAll(vault.database, signerOf(vault.server));
  const taken: number[] = [];
  let isAway = true;
  const anchor: Anchor = {
    name: 'test',
    append: async (checkpoints) => {
      if (isAway) throw new Error('away');
      taken.push(...checkpoints.map(({ number }) => number));
    },
  };
  const anchoring = await Anchoring.start(vault.database.open(), anchor);
  await expect(anchoring.deliver()).rejects.toThrow('away');
  expect(anchoring.waitingCount).toBe(1);
  const restarted = await Anchoring.start(vault.database.open(), anchor);
  isAway = false;
  await restarted.deliver();
  const newest = await new LogReader(vault.database.open()).newestCheckpoint(tenant.id);
  expect(taken).toEqual([newest?.number]);
  expect(restarted.waitingCount).toBe(0);
});
