import { spawn } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey, parseRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { patienceMs, untilTrue } from '../harness/deadline.ts';
import { ownMain, Program } from '../harness/program.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let settings: Record<string, string>;
let tenant: TestTenant;
let other: TestTenant;
let managementId: string;
beforeAll(async () => {
  const rootKey = generateRootKey();
  vault = await TestVault.start(parseRootKey(rootKey));
  settings = { STRONGROOM_DATABASE_URL: vault.database.url, STRONGROOM_ROOT_KEY: rootKey };
  tenant = await vault.makeTenant();
  other = await vault.makeTenant('production');
  managementId = await applicationOf(tenant, 'management');
});
afterEach(() => Program.killAll());
afterAll(() => vault.stop());

const run = (...command: string[]) => Program.run(command, settings);
const statusWith = async (key: string) => (await vault.request('GET', '/tenants/self', { key })).status;

async function applicationOf({ id }: TestTenant, type: string): Promise<string> {
  const { rows } = await vault.database.owner.query<{ id: string }>(
    'select id from applications where tenant_id = $1 and type = $2',
    [id, type],
  );
  return rows[0]?.id ?? '';
}

/** Returns the tenant's audit records after the first `before` ones. */
async function recordsSince(tenantId: string, before: number): Promise<Record<string, unknown>[]> {
  return (await vault.auditRecords(tenantId)).slice(before);
}

describe('strongroom tenants', () => {
  it('lists every tenant with its owner, for people and for machines', async () => {
    const json = await run('tenants', 'list', '--json');
    expect({ code: json.code, stderr: json.stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(json.stdout)).toEqual({
      tenants: [
        { id: tenant.id, name: 'Test', type: 'test', created_at: expect.any(String), owner_email: null },
        { id: other.id, name: 'Test', type: 'production', created_at: expect.any(String), owner_email: null },
      ],
    });
    const { stdout } = await run('tenants', 'list');
    expect(stdout.split('\n')[0]).toMatch(/^ID +TYPE +CREATED +OWNER +NAME$/);
    for (const { id } of [tenant, other]) expect(stdout).toContain(id);
  });

  it('turns approvals on and off, which the tenant itself could not do alone, and writes that down there', async () => {
    const isPending = async () => {
      const body = { name: 'Early', type: 'private', permissions: ['token:use'] };
      return (await vault.request('POST', '/applications', { key: other.keys.management, body })).status === 202;
    };
    const before = (await vault.auditRecords(other.id)).length;
    const turn = (state: string) => run('tenants', 'approve-plaintext', state, '--tenant', other.id);
    expect(await turn('on')).toMatchObject({ code: 0, stdout: expect.stringContaining('approve_plaintext is on') });
    expect(await isPending()).toBe(true);
    expect(await turn('off')).toMatchObject({ code: 0, stdout: expect.stringContaining('approve_plaintext is off') });
    expect(await isPending()).toBe(false);
    expect((await turn('maybe')).code).not.toBe(0);
    const records = (await recordsSince(other.id, before)).filter(({ operation }) => operation === 'configure');
    expect(records).toMatchObject([{ actor_type: 'system' }, { actor_type: 'system' }]);
  });

  it('shows one with its members and numbers, and writes that down there', async () => {
    await vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: 'canary' } });
    const before = (await vault.auditRecords(tenant.id)).length;
    const { code, stdout } = await run('tenants', 'show', '--tenant', tenant.id, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id: tenant.id,
      applications: 4,
      tokens: { token: 1 },
      members: [{ role: 'OWNER', email: null }],
    });
    expect(stdout).not.toContain('canary');
    expect(await recordsSince(tenant.id, before)).toMatchObject([
      { actor_type: 'system', entity_type: 'tenant', operation: 'read' },
    ]);
    expect((await run('tenants', 'show', '--tenant', tenant.id)).stdout).toMatch(/^Id {12}[0-9a-f-]{36}\nName/);
  });

  it('exits with 1 for a tenant that is not there', async () => {
    const { code, stdout, stderr } = await run('tenants', 'show', '--tenant', crypto.randomUUID());
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: 'There is no such tenant.\n' });
  });
});

describe('strongroom applications', () => {
  it('lists those of one tenant, with keys and their last use', async () => {
    await statusWith(tenant.keys.management);
    const { code, stdout } = await run('applications', 'list', '--tenant', tenant.id, '--json');
    expect(code).toBe(0);
    const { applications } = JSON.parse(stdout) as { applications: { id: string; type: string; keys: number }[] };
    expect(applications.map(({ type, keys }) => `${type} ${keys}`).toSorted()).toEqual([
      'management 1',
      'private 1',
      'private 1',
      'public 1',
    ]);
    const table = (await run('applications', 'list', '--tenant', tenant.id)).stdout;
    expect(table.split('\n')[0]).toMatch(/^ID +TYPE +KEYS +LAST USED +EXPIRES +NAME$/);
    expect(table).toContain(managementId);
  });

  it('creates a management application with a key that works, and tells the tenant which rights that gave', async () => {
    const before = (await vault.auditRecords(tenant.id)).length;
    const { code, stdout, stderr } = await run(
      'applications',
      'create',
      '--tenant',
      tenant.id,
      '--name',
      'Rescue',
      '--json',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const made = JSON.parse(stdout) as { application_id: string; key_id: string; key: string };
    expect(made.key).toMatch(/^key_test_mgt_/);
    expect(await statusWith(made.key)).toBe(200);
    // The two records have the same transaction time, so either may come first.
    const records = await recordsSince(tenant.id, before);
    const created = records.find(({ operation }) => operation === 'create');
    const issued = records.find(({ operation }) => operation === 'issue_key');
    expect(created).toMatchObject({
      actor_type: 'system',
      actor_id: null,
      operation: 'create',
      entity_id: made.application_id,
    });
    expect(String(created?.['details'])).toContain('permission added: application:create');
    expect(issued).toMatchObject({ actor_type: 'system', operation: 'issue_key', entity_id: made.application_id });
    expect(String(issued?.['details'])).toContain(`key added: ${made.key_id}`);
    const log = await vault.request('GET', `/logs?entity_id=${made.application_id}`, { key: made.key });
    expect(log.text).toContain('Application key issued by an operator');
    expect(JSON.stringify(await vault.auditRecords(tenant.id))).not.toContain(made.key);
  });

  it('issues another key, and leaves the others alone unless told otherwise', async () => {
    const issue = (...flags: string[]) =>
      run('applications', 'key', '--tenant', tenant.id, '--application', managementId, '--json', ...flags);
    const second = JSON.parse((await issue()).stdout) as { key: string; key_id: string; revoked_key_ids: string[] };
    expect(second.revoked_key_ids).toEqual([]);
    expect([await statusWith(tenant.keys.management), await statusWith(second.key)]).toEqual([200, 200]);

    const before = (await vault.auditRecords(tenant.id)).length;
    const third = JSON.parse((await issue('--revoke-others')).stdout) as typeof second;
    expect(third.revoked_key_ids).toHaveLength(2);
    expect(third.revoked_key_ids).toContain(second.key_id);
    // Even a server that has just used the old keys soon stops accepting them.
    await untilTrue(async () => (await statusWith(tenant.keys.management)) === 401, { waitingFor: 'the revocation' });
    expect([await statusWith(second.key), await statusWith(third.key)]).toEqual([401, 200]);
    expect((await vault.request('GET', '/applications/key', { key: tenant.keys.private })).status).toBe(200);
    const [record] = await recordsSince(tenant.id, before);
    expect(record).toMatchObject({ actor_type: 'system', operation: 'issue_key', entity_id: managementId });
    for (const id of third.revoked_key_ids) expect(String(record?.['details'])).toContain(`key removed: ${id}`);
  });

  it('refuses what is not there, not of this tenant or not for management, and changes nothing', async () => {
    const issue = (tenantId: string, id: string) =>
      run('applications', 'key', '--tenant', tenantId, '--application', id, '--revoke-others');
    const before = await Promise.all([tenant, other].map(({ id }) => vault.auditRecords(id)));
    const cases: [string, string, string][] = [
      [tenant.id, crypto.randomUUID(), 'There is no such application.\n'],
      [other.id, managementId, 'There is no such application.\n'],
      [crypto.randomUUID(), managementId, 'There is no such tenant.\n'],
      [tenant.id, await applicationOf(tenant, 'private'), expect.stringContaining('not a management application')],
    ];
    for (const [tenantId, id, message] of cases) {
      const { code, stdout, stderr } = await issue(tenantId, id);
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: message });
    }
    expect(await Promise.all([tenant, other].map(({ id }) => vault.auditRecords(id)))).toEqual(before);
    expect((await vault.request('GET', '/applications/key', { key: tenant.keys.private })).status).toBe(200);
  });

  it('refuses a key for an application that has expired, or has as many as it can have', async () => {
    const issue = (...flags: string[]) =>
      run('applications', 'key', '--tenant', other.id, '--application', id, ...flags);
    const id = await applicationOf(other, 'management');
    await vault.database.owner.query(
      `insert into application_keys (tenant_id, id, application_id, version, secret_hash)
       select $1, gen_random_uuid(), $2, 1, '\\x00' from generate_series(1, 9)`,
      [other.id, id],
    );
    expect((await issue()).stderr).toContain('the most that it can have');
    expect((await issue('--revoke-others')).stdout).toContain('Keys revoked: 10.');
    await vault.database.owner.query(`update applications set expires_at = now() where id = $1`, [id]);
    expect((await issue()).stderr).toContain('has expired');
  });
});

describe('strongroom bootstrap', () => {
  it('asks nothing without a terminal, and prints the next two commands', async () => {
    const { code, stdout, stderr } = await Program.run(['bootstrap', '--name', 'Acme'], {
      ...settings,
      STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [, tenantId] = /^Tenant ([0-9a-f-]{36}) is ready\. Its owner has no e-mail address/.exec(stdout) ?? [];
    expect(stdout).toContain(`\n  strongroom members sign-in-link --tenant ${tenantId}\n`);
    const [, key] =
      /\n {2}curl https:\/\/vault\.example\.com\/applications -H 'BT-API-KEY: (key_prod_mgt_\w+)' /.exec(stdout) ?? [];
    const [, body = ''] = /-d '([^']+)'/.exec(stdout) ?? [];
    const made = await vault.request('POST', '/applications', { key: key ?? '', body: JSON.parse(body) });
    expect(made.status).toBe(201);
  });

  it.each([
    ['an address', ['Owner@example.com\n'], 'Owner@example.com'],
    ['an address after a slip', ['owner(at)example\n', 'slip@example.com\n'], 'slip@example.com'],
    ['nothing', ['\n'], null],
  ])('asks on a terminal for the address of the owner: %s', async (_name, typed, email) => {
    const name = `Typed ${crypto.randomUUID()}`;
    const { code, text } = await onTerminal(`'${process.execPath}' '${ownMain}' bootstrap --name '${name}'`, typed);
    expect([code, text]).toEqual([0, expect.stringContaining("Owner's e-mail address")]);
    const { rows } = await vault.database.owner.query<{ email: string | null }>(
      `select u.email from tenants t join members m on m.tenant_id = t.id join users u on u.id = m.user_id where t.name = $1`,
      [name],
    );
    expect(rows).toEqual([{ email }]);
  });

  it('creates nothing when the question is not answered', async () => {
    const name = `Untyped ${crypto.randomUUID()}`;
    const { code, text } = await onTerminal(`'${process.execPath}' '${ownMain}' bootstrap --name '${name}'`, [
      '\u0004',
    ]);
    expect([code, text]).toEqual([1, expect.stringContaining('Nothing was created.')]);
    const { rows } = await vault.database.owner.query('select from tenants where name = $1', [name]);
    expect(rows).toEqual([]);
  });

  /** Runs a command in a terminal, and types the next of these texts at each prompt. */
  async function onTerminal(command: string, typed: readonly string[]): Promise<{ code: number | null; text: string }> {
    const env = { PATH: process.env['PATH'], ...settings };
    const options = { env, timeout: patienceMs };
    const shell = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], options);
    let text = '';
    let answered = 0;
    shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const asked = text.split('(Enter for none): ').length - 1;
      for (; answered < asked; answered += 1) shell.stdin.write(typed[answered] ?? '\u0004');
    });
    const code = await new Promise<number | null>((resolve) => {
      shell.once('close', resolve);
    });
    return { code, text };
  }
});
