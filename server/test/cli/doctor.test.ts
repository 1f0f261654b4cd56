import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { examine } from '../../src/app/doctor/examination.ts';
import { readVaultConfig } from '../../src/platform/config/config.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { migrate } from '../../src/platform/database/migrations/migrator.ts';
import { LocalPostgres } from '../../src/platform/local-postgres/local-postgres.ts';
import { Program } from '../harness/program.ts';
import { TestVault } from '../harness/test-vault.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../harness/test-database.ts';

// A separate PostgreSQL. The one that other tests use does not flush to disk, which `doctor` reports as a failure.
let postgres: LocalPostgres;
let database: TestDatabase;
let settings: Record<string, string>;
beforeAll(async () => {
  postgres = await LocalPostgres.start({ password: randomBytes(16).toString('hex') });
  await migrate(postgres.url);
  database = openTestDatabase(postgres.url);
  settings = { STRONGROOM_DATABASE_URL: database.url, STRONGROOM_ROOT_KEY: generateRootKey() };
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await database.drop();
  await postgres.stop();
});

const failures = async (changed: Record<string, string> = {}) => {
  const findings = await examine(readVaultConfig({ ...settings, ...changed }));
  return findings
    .filter(({ isOk, name }) => !isOk && !ground.has(name))
    .map(({ name, detail }) => `${name}: ${detail}`);
};
/** Each check of the environment, with its result on a single server with default settings. */
const ground = new Map([
  ['writable', 'ok'],
  ['clock', 'ok'],
  ['fsync', 'ok'],
  ['full_page_writes', 'ok'],
  ['synchronous_commit', 'ok'],
  ['synchronous standby', 'warn'],
  ['replication lag', 'ok'],
  ['WAL archive', 'warn'],
  ['connection limit', 'ok'],
  ['disk space', expect.stringMatching(/^ok$|^warn$/)],
]);
const names = [
  'database',
  'application role',
  'row-level security',
  'connection',
  'database TLS',
  'schema',
  ...ground.keys(),
  'root key',
  'fingerprints',
  'approvals',
  'jobs',
];

describe('doctor', () => {
  it('finds nothing wrong with a database that was just migrated, and leaves it as it is', async () => {
    const before = await rowsOf('system_keys');
    const { code, stdout, stderr } = await Program.run(['doctor'], settings);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual(names.map((name) => expect.stringMatching(`^(ok  |warn) ${name}$`)));
    for (const [name, verdict] of ground)
      expect([name, stdout.match(new RegExp(`^(\\w+) +${name}: `, 'm'))?.[1]]).toEqual([name, verdict]);
    expect(await rowsOf('system_keys')).toEqual(before);
  });

  it('says the same to machines', async () => {
    await Program.run(['bootstrap', '--name', 'Acme'], settings);
    const { code, stdout } = await Program.run(['doctor', '--json'], settings);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      findings: names.map((name) => expect.objectContaining({ name, ok: true, detail: expect.any(String) })),
    });
    const { findings } = JSON.parse(stdout) as { findings: { name: string }[] };
    expect(findings.find(({ name }) => name === 'synchronous standby')).toEqual({
      name: 'synchronous standby',
      ok: true,
      warning: true,
      detail: 'synchronous_standby_names is empty',
      promise: 'an acknowledged write survives the loss of the primary',
      remedy: expect.stringContaining('attach a standby'),
    });
  });

  it('names the table that lost its forced row-level security, with the remedy, and exits with 1', async () => {
    await database.owner.query('alter table tokens no force row level security');
    const { code, stdout } = await Program.run(['doctor'], settings);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^FAIL row-level security: not forced on tokens: .*"alter table .* force row level security"$/m,
    );
    await database.owner.query('alter table tokens force row level security');
  });

  it('names another root key by its fingerprint, beside the one that fits, and exits with 1', async () => {
    const { code, stdout } = await Program.run(['doctor', '--json'], {
      ...settings,
      STRONGROOM_ROOT_KEY: generateRootKey(),
    });
    expect(code).toBe(1);
    const { ok, findings } = JSON.parse(stdout) as {
      ok: boolean;
      findings: { name: string; ok: boolean; detail: string }[];
    };
    expect(ok).toBe(false);
    const [wrong, ...others] = findings.filter((finding) => !finding.ok);
    expect(others).toEqual([]);
    expect(wrong?.name).toBe('root key');
    expect(wrong?.detail).toMatch(
      /^Wrong root key: this database was sealed with file:[0-9a-f]{16}, .* file:[0-9a-f]{16}\./,
    );
  });
});

describe('root keys of tenants', () => {
  it('are warned of if they cannot be used, with the reason, while the rest is checked', async () => {
    const own = { STRONGROOM_TENANT_ROOT_KEYS: JSON.stringify({ acme: { STRONGROOM_ROOT_KEY: generateRootKey() } }) };
    const made = await Program.run(['bootstrap', '--name', 'Acme', '--root-key', 'acme', '--json'], {
      ...settings,
      ...own,
    });
    const { tenant_id: id } = JSON.parse(made.stdout) as { tenant_id: string };
    const whole = await Program.run(['doctor'], { ...settings, ...own });
    expect(whole.stdout).toContain("ok   tenant root keys: 3 keys of tenants are unwrapped by their owners' root keys");
    const { code, stdout } = await Program.run(['doctor'], settings);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {3}root key: /m);
    expect(stdout).toMatch(
      new RegExp(`^warn tenant root keys: file:\\w+@acme cannot be used, .*${id}.*no root key named "acme"`, 'm'),
    );
    await database.owner.query('delete from tenants where id = $1', [id]);
  });
});

describe('the card fields', () => {
  it('are looked at where they are served, and only warned of where nobody serves them', async () => {
    const elements = { STRONGROOM_ELEMENTS_URL: 'http://127.0.0.1:1' };
    const { code, stdout } = await Program.run(['doctor', '--json'], { ...settings, ...elements });
    expect(code).toBe(0);
    const { findings } = JSON.parse(stdout) as { findings: unknown[] };
    expect(findings.at(-1)).toEqual({
      name: 'card fields',
      ok: true,
      warning: true,
      detail: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 cannot be reached \(.*ECONNREFUSED/),
    });
  });
});

describe('what is only warned of', () => {
  it('is an application that can guess what a mask hides, until its tenant or its rights keep it from that', async () => {
    const vault = await TestVault.start();
    const own = { ...settings, STRONGROOM_DATABASE_URL: vault.database.url };
    const warnings = async () =>
      (await examine(vault.config)).filter(({ isWarning, name }) => isWarning === true && !ground.has(name));
    expect(await warnings()).toEqual([]);
    const tenant = await vault.makeTenant();
    const { rows } = await vault.database.owner.query<{ id: string }>(
      `select id from applications where name = 'private' and tenant_id = $1`,
      [tenant.id],
    );
    const [warning] = await warnings();
    expect(warning).toMatchObject({ name: 'fingerprints', isOk: true });
    expect(warning?.detail).toContain(`in tenant ${tenant.id} application ${rows[0]?.id} can write tokens`);
    expect(warning?.detail).toContain('Set fingerprint_visibility to "reveal"');
    const { stdout } = await Program.run(['doctor'], own);
    expect(stdout).toMatch(/^warn fingerprints: in tenant /m);

    const many = await Promise.all(Array.from({ length: 7 }, () => vault.makeTenant()));
    expect((await warnings())[0]?.detail).toContain(' and 3 more can write tokens');
    for (const one of [tenant, ...many]) {
      const body = { name: 'Strict', settings: { fingerprint_visibility: 'reveal' } };
      await vault.request('PUT', '/tenants/self', { key: one.keys.management, body });
    }
    expect(await warnings()).toEqual([]);
    await vault.stop();
  });
});

describe('what is examined', () => {
  it.each([
    'tenants',
    'users',
    'members',
    'system_keys',
    'tenant_keys',
    'application_keys',
    'token_counts',
    'audit_records',
  ])('row-level security of %s', async (table) => {
    await database.owner.query(`alter table ${table} disable row level security`);
    expect(await failures()).toEqual([expect.stringContaining(`row-level security: not forced on ${table}: `)]);
    await database.owner.query(`alter table ${table} enable row level security`);
    expect(await failures()).toEqual([]);
  });

  it('the key that seals a vault without tenants', async () => {
    const fresh = await createTestDatabase();
    const url = { STRONGROOM_DATABASE_URL: fresh.url };
    await fresh.owner.query(
      `insert into system_keys (purpose, version, root_key, wrapped) values ('credential', 1, 'file:0123456789abcdef', '')`,
    );
    expect(await failures(url)).toEqual([expect.stringContaining('sealed with file:0123456789abcdef')]);
    await fresh.drop();
  });

  it('a schema that is not there', async () => {
    const empty = await createTestDatabase('template1');
    expect(await failures({ STRONGROOM_DATABASE_URL: empty.url })).toEqual([
      expect.stringMatching(/^schema: .* Run `strongroom migrate`/),
    ]);
    await empty.drop();
  });

  it('a database that nobody answers for', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      expect(await failures({ STRONGROOM_DATABASE_URL: `postgresql://${host}:1/strongroom` })).toEqual([
        expect.stringMatching(
          /^database: Database unreachable: connection refused \(.*\)\. Check .* STRONGROOM_DATABASE_URL/,
        ),
      ]);
    }
  });
});

async function rowsOf(table: string): Promise<unknown[]> {
  return (await database.owner.query(`select * from ${table}`)).rows;
}
