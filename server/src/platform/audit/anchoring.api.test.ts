import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sealAll, signerOf } from '../../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { type Anchor, fileAnchor } from './anchor.ts';
import { readAnchorFile } from './anchor-file.ts';
import { Anchoring } from './anchoring.ts';
import { LogReader } from './log-reader.ts';
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

it('appends checkpoints to a file, and believes no line of it that this vault did not sign', async () => {
  const file = path.join(directory, 'anchor.ndjson');
  const sealer = new Sealer({ database: vault.database.open(), signer: signerOf(vault.server) });
  const anchoring = await Anchoring.start(vault.database.open(), fileAnchor(file));
  for (let round = 0; round < 3; round += 1) {
    await createToken();
    anchoring.add((await sealer.seal()).checkpoints);
    await anchoring.deliver();
  }
  await anchoring.deliver();
  const lines = await readFile(file, 'utf8');
  expect(lines.trimEnd().split('\n')).toHaveLength(3);
  const forged =
    lines
      .trimEnd()
      .split('\n')
      .at(-1)
      ?.replace(/"number":\d+/, '"number":999') ?? '';
  await writeFile(file, `${lines}${forged}\n{"tenant_id":"half of a li`);
  const { newest, foreignLines } = await readAnchorFile(file, signerOf(vault.server).publicKey);
  expect(foreignLines).toBe(2);
  const stored = await new LogReader(vault.database.open()).newestCheckpoint(tenant.id);
  expect(newest.get(tenant.id)).toMatchObject({ number: stored?.number, root: stored?.root });
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
