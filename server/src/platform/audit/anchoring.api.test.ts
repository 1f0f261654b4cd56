import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sealAll, signerOf } from '../../../test/harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { readAnchors } from './log-verification.ts';
import { type Anchor, fileAnchor } from './anchor.ts';
import { Anchoring } from './anchoring.ts';
import { isGenuine } from './checkpoint.ts';
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

it('appends checkpoints to a file, signed, and passes over a line that was cut off', async () => {
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
  await writeFile(file, `${lines}{"tenant_id":"half of a li`);
  const anchors = await readAnchors(file);
  expect(anchors).toHaveLength(3);
  const { publicKey } = signerOf(vault.server);
  expect(anchors.every((anchor) => isGenuine(anchor, publicKey))).toBe(true);
  const newest = await new LogReader(vault.database.open()).newestCheckpoint(tenant.id);
  expect(anchors.at(-1)).toMatchObject({ number: newest?.number, root: newest?.root });
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
