import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { createToken, listStored } from '../harness/aged-tokens.ts';
import { type TestErasure, TestErasures } from '../harness/erasures.ts';
import { FourEyesTenant } from '../harness/four-eyes.ts';
import { Program } from '../harness/program.ts';
import { signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

const rootKey = generateRootKey();
let vault: TestVault;
let tenant: TestTenant;
let folder: string;
let publicKey: string;
beforeAll(async () => {
  vault = await TestVault.start(parseRootKey(rootKey));
  tenant = await vault.makeTenant();
  folder = await mkdtemp(path.join(tmpdir(), 'strongroom-tokens-'));
  publicKey = signerOf(vault.server).publicKey.toString('base64');
});
afterAll(async () => {
  await Program.killAll();
  await vault.stop();
  await rm(folder, { recursive: true });
});

const run = (...command: string[]) =>
  Program.run(['tokens', ...command], { STRONGROOM_DATABASE_URL: vault.database.url, STRONGROOM_ROOT_KEY: rootKey });
const erase = async (of: TestTenant, ...more: string[]) => {
  const { code, stdout, stderr } = await run('erase', '--tenant', of.id, '--json', ...more);
  return { code, stderr, erasure: (stdout === '' ? {} : JSON.parse(stdout)) as TestErasure };
};
const create = (of: TestTenant) =>
  createToken(vault, of, { type: 'token', data: 'x', metadata: { customer: 'c-1042' } });

describe('strongroom tokens', () => {
  it('counts, erases what was confirmed, and writes a receipt that it checks without the vault', async () => {
    const id = await create(tenant);
    const counted = await erase(tenant, '--metadata', 'customer=C-1042');
    expect(counted.erasure).toMatchObject({ status: 'counted', tokens: 1 });
    const below = ['--erasure', counted.erasure.id] as const;
    const few = await erase(tenant, ...below, '--confirm', '0');
    expect([few.code, few.stderr]).toEqual([1, expect.stringContaining('confirmed_tokens')]);
    expect((await erase(tenant, ...below, '--confirm', '1')).erasure).toMatchObject({ status: 'queued' });
    await new TestErasures(vault, tenant).run();
    expect(await listStored(vault, [id])).toEqual([]);
    expect((await run('erasures', '--tenant', tenant.id)).stdout).toMatch(
      new RegExp(`${counted.erasure.id} +finished`),
    );

    const file = path.join(folder, 'receipt');
    const written = await run('receipt', 'write', '--tenant', tenant.id, ...below, '--output', file);
    expect([written.code, written.stderr]).toEqual([0, '']);
    const verify = (key: string) => Program.run(['tokens', 'receipt', 'verify', file, '--public-key', key]);
    const verified = await verify(publicKey);
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('1 token removed')]);
    expect((await verify(Buffer.alloc(32, 7).toString('base64'))).code).toBe(1);
    // An existing file may be evidence.
    expect((await run('receipt', 'write', '--tenant', tenant.id, ...below, '--output', file)).code).toBe(1);
    await writeFile(file, (await readFile(file, 'utf8')).replace('"tokens":1', '"tokens":2'));
    const changed = await verify(publicKey);
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringMatching(/^FAIL/)]);
  });

  it('needs two members to approve what the operator asks for, in a tenant that requires approvals', async () => {
    const here = await FourEyesTenant.make(vault);
    const [ann, ben] = here.people;
    const id = await create(here.tenant);
    const { erasure } = await erase(here.tenant, '--metadata', 'customer=c-1042', '--confirm', '1');
    expect(erasure.status).toBe('awaiting_approval');
    const { rows } = await vault.database.owner.query<{ id: string; needed: number }>(
      'select id, approvals_needed as needed from approval_requests where subject_id = $1',
      [erasure.id],
    );
    expect(rows[0]?.needed).toBe(2);
    for (const person of [ann, ben]) {
      await new TestErasures(vault, here.tenant).run();
      expect(await listStored(vault, [id])).toEqual([id]);
      expect((await here.decide(person, 'approve', rows[0]?.id ?? '')).status).toBe(303);
    }
    await new TestErasures(vault, here.tenant).run();
    expect(await listStored(vault, [id])).toEqual([]);
  });

  it.each([
    ['nothing is selected', []],
    ['the pair of metadata has no value', ['--metadata', 'customer']],
    ['the number is none', ['--type', 'card', '--confirm', 'all']],
  ])('refuses to erase if %s', async (_about, more) => {
    const { code } = await run('erase', '--tenant', tenant.id, ...more);
    expect(code).toBe(1);
  });
});
