import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';
import { recordsOf } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let settings: Record<string, string>;
let tenant: TestTenant;
beforeAll(async () => {
  const rootKey = generateRootKey();
  vault = await TestVault.start(parseRootKey(rootKey));
  settings = { STRONGROOM_DATABASE_URL: vault.database.url, STRONGROOM_ROOT_KEY: rootKey };
  tenant = await vault.makeTenant();
});
afterEach(() => Program.killAll());
afterAll(() => vault.stop());

const run = (...command: string[]) => Program.run(command, settings);
const key = () => tenant.keys.management;
const works = async () => (await vault.request('GET', '/tenants/self', { key: key() })).status === 200;
const doctorSays = async () => {
  const { stdout } = await run('doctor', '--json');
  const { findings } = JSON.parse(stdout) as { findings: { name: string; warning?: true; detail: string }[] };
  return findings.find(({ name }) => name === 'deleted tenants');
};

describe('an operator', () => {
  it('restores nothing that is not deleted', async () => {
    const { code, stderr } = await run('tenants', 'restore', '--tenant', tenant.id);
    expect(code).not.toBe(0);
    expect(stderr).toContain('nothing to restore');
    expect(await doctorSays()).toBeUndefined();
  });

  it('sees a deleted tenant with the time of its removal, and restores it, on record', async () => {
    await vault.request('DELETE', '/tenants/self', { key: key() });
    const { stdout } = await run('tenants', 'list');
    expect(stdout.split('\n')[0]).toMatch(/^ID +TYPE +CREATED +OWNER +REMOVED +NAME$/);
    const listed = JSON.parse((await run('tenants', 'list', '--json')).stdout) as { tenants: unknown[] };
    expect(listed.tenants).toMatchObject([
      { id: tenant.id, deleted_at: expect.any(String), removed_at: expect.any(String) },
    ]);
    expect(await doctorSays()).toMatchObject({ detail: expect.stringContaining('can be restored') });

    expect(await run('tenants', 'restore', '--tenant', tenant.id)).toMatchObject({ code: 0, stderr: '' });
    await untilTrue(works, { waitingFor: 'the key to work again' });
    expect((await recordsOf(vault, tenant, tenant.id)).at(-1)).toMatchObject({ actor_type: 'application' });
    expect(await recordsOf(vault, tenant, tenant.id)).toContainEqual(
      expect.objectContaining({ operation: 'restore', actor_type: 'system' }),
    );
  });

  it('learns from doctor that a tenant should have been removed', async () => {
    await vault.request('DELETE', '/tenants/self', { key: key() });
    await vault.database.owner.query(`update tenants set deleted_at = now() - interval '8 days' where id = $1`, [
      tenant.id,
    ]);
    expect(await doctorSays()).toMatchObject({ warning: true, detail: expect.stringContaining('strongroom work') });
  });
});
