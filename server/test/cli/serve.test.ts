import { Agent, request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/** A database that was never migrated. The cases follow an operator from there, in order. */
let database: TestDatabase;
let settings: Record<string, string>;
let key: string;
beforeAll(async () => {
  database = await createTestDatabase('template1');
  settings = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
    // Free ports replace 8080 and 8081, which may be taken on this machine.
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: '0',
    STRONGROOM_ADMIN_PORT: '0',
  };
});
afterEach(() => Program.killAll());
afterAll(() => database.drop());

const required = ['STRONGROOM_DATABASE_URL', 'STRONGROOM_ROOT_KEY', 'STRONGROOM_PUBLIC_URL'];

describe('serve without settings', () => {
  it('lists every missing one with an example and exits with 2', async () => {
    const { code, stdout, stderr } = await Program.run(['serve']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const variable of required) {
      expect(stderr).toContain(`${variable} is not set: `);
      expect(stderr).toContain(`Example: ${variable}=`);
    }
  });

  it('says the same to machines', async () => {
    const { code, stderr } = await Program.run(['serve', '--json']);
    expect(code).toBe(2);
    const { problems } = JSON.parse(stderr) as { problems: unknown };
    expect(problems).toMatchObject(required.map((variable) => ({ variable, problem: 'is not set' })));
  });
});

describe('settings that are probably not meant', () => {
  const slip = { STRONGROOM_PUBLIC_URL: 'http://vault.example.com', STRONGROOM_DATABASE_ULR: 'postgresql://secret' };

  it('are warned about once, before anything else, without their value', async () => {
    const { code, stdout, stderr } = await Program.run(['serve'], slip);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'Warning: STRONGROOM_DATABASE_ULR is not a setting and changes nothing; did you mean STRONGROOM_DATABASE_URL?',
      expect.stringMatching(/^Warning: STRONGROOM_PUBLIC_URL is an http address: /),
      'The configuration is not complete:',
    ]);
    expect(stderr.match(/Warning/g)).toHaveLength(2);
    expect(stderr).not.toContain('postgresql://secret');
  });

  it('are one line of JSON each for machines', async () => {
    const { stderr } = await Program.run(['migrate', '--json'], slip);
    const lines: unknown[] = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { variable: 'STRONGROOM_DATABASE_ULR', warning: expect.stringContaining('did you mean') },
      { variable: 'STRONGROOM_PUBLIC_URL' },
      { problems: [{ variable: 'STRONGROOM_DATABASE_URL', kind: 'missing' }] },
    ]);
  });
});

describe('from an empty database to a vault that serves', () => {
  it('serve asks for a migration and writes nothing', async () => {
    const { code, stdout, stderr } = await Program.run(['serve'], settings);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('Run `strongroom migrate`');
    const { rows } = await database.owner.query(`select 1 from pg_tables where schemaname = 'public'`);
    expect(rows).toEqual([]);
  });

  it('migrate says why PostgreSQL refuses and leaves the database as it was', async () => {
    const role = `limited_${crypto.randomUUID().slice(0, 8)}`;
    await database.owner.query(
      `create role ${role} login password 'limited'; grant create on schema public to ${role}`,
    );
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'limited'];
    const { code, stderr } = await Program.run(['migrate'], { STRONGROOM_DATABASE_URL: url.href });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Migration 1_roles failed; .*\n {2}because: permission denied to create role\n$/);
    await database.owner.query(`drop owned by ${role}; drop role ${role}`);
  });

  it('migrate makes the schema, once when two start together', async () => {
    const { STRONGROOM_DATABASE_URL = '' } = settings;
    const runs = await Promise.all([1, 2].map(() => Program.run(['migrate', '--json'], { STRONGROOM_DATABASE_URL })));
    expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual([1, 2].map(() => ({ code: 0, stderr: '' })));
    const reports = runs.map(({ stdout }) => JSON.parse(stdout) as { applied: string[]; version: number });
    expect(reports.flatMap(({ applied }) => applied)).toHaveLength(reports[0]?.version ?? 0);
    expect(reports[0]?.version).toBeGreaterThan(5);
  });

  it('migrate has nothing left to do', async () => {
    const { code, stdout } = await Program.run(['migrate'], settings);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^The schema is up to date \(version \d+\)\.\n$/);
  });

  it('bootstrap makes a tenant and prints its key once', async () => {
    const command = ['bootstrap', '--name', 'Acme', '--owner-email', 'owner@example.com', '--json'];
    const { code, stdout, stderr } = await Program.run(command, settings);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const made = JSON.parse(stdout) as { tenant_id: string; keys: { management: string } };
    expect(made).toEqual({
      tenant_id: expect.any(String),
      keys: { management: expect.stringMatching(/^key_prod_mgt_/) },
    });
    key = made.keys.management;
    const { rows } = await database.owner.query('select id, name, type from tenants');
    expect(rows).toEqual([{ id: made.tenant_id, name: 'Acme', type: 'production' }]);
  });

  it('serve answers, reports its health, finishes a request under way after SIGTERM and exits with 0', async () => {
    const program = Program.start(['serve', '--json'], settings);
    const { url, admin_url } = await program.ready<{ url: string; admin_url: string }>();
    const tenant = await fetch(`${url}/tenants/self`, { headers: { 'bt-api-key': key } });
    expect(await tenant.json()).toMatchObject({ name: 'Acme' });
    const health = await fetch(`${admin_url}/readyz?verbose`);
    expect({ status: health.status, body: await health.json() }).toMatchObject({ status: 200, body: { status: 'ok' } });

    const slow = startSlowRequest(url);
    await slow.begun;
    program.signal('SIGTERM');
    await untilRefused(url);
    slow.finish();
    expect(await slow.answer).toMatchObject({ status: 201, body: { name: 'Slow', key: expect.any(String) } });
    const answeredAt = performance.now();
    expect(await program.exit()).toMatchObject({ code: 0 });
    expect(performance.now() - answeredAt).toBeLessThan(10_000);
    const { rows } = await database.owner.query(`select name from applications where name = 'Slow'`);
    expect(rows).toHaveLength(1);
  });

  it('serve goes on serving after SIGTERM for as long as it is told, and a second signal ends it at once', async () => {
    const program = Program.start(['serve', '--json'], { ...settings, STRONGROOM_DRAIN_DELAY_SECONDS: '300' });
    const { url, admin_url } = await program.ready<{ url: string; admin_url: string }>();
    program.signal('SIGTERM');
    await untilTrue(async () => (await fetch(`${admin_url}/readyz`)).status === 503, {
      waitingFor: 'the server to be unready',
    });
    const tenant = await fetch(`${url}/tenants/self`, { headers: { 'bt-api-key': key } });
    expect([tenant.status, tenant.headers.get('connection')]).toEqual([200, 'close']);
    const { code, stderr } = await program.stop('SIGINT');
    expect(code).toBe(1);
    expect(messagesIn(stderr)).toEqual(['serving', 'stopping: unready, still serving', 'request']);
  });

  it('work starts, and ends with 0 on SIGTERM', async () => {
    const program = Program.start(['work', '--json'], { ...settings, STRONGROOM_WORKER_ADMIN_PORT: '0' });
    const ready = await program.ready();
    expect(ready).toEqual({ status: 'working', admin_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
    const { stderr, ...exit } = await program.stop();
    expect(exit).toEqual({ code: 0, stdout: `${JSON.stringify(ready)}\n` });
    expect(messagesIn(stderr).slice(-2)).toEqual(['draining: no more jobs, finishing those under way', 'stopped']);
  });

  it('serve refuses another root key with both fingerprints and what to do', async () => {
    const { code, stdout, stderr } = await Program.run(['serve'], {
      ...settings,
      STRONGROOM_ROOT_KEY: generateRootKey(),
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(new Set(stderr.match(/file:[0-9a-f]{16}/g)).size).toBe(2);
    expect(stderr).toMatch(/^Wrong root key: .* Nothing was changed\. Configure the key .*\n$/);
  });
});

/** Returns the logged messages without those that are written on a schedule. */
function messagesIn(stderr: string): string[] {
  const lines = stderr.trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { msg: string }).msg).filter((it) => it !== 'job done');
}

/** Starts a request whose body arrives in two pieces. The test decides when the second is sent. */
function startSlowRequest(url: string) {
  const body = JSON.stringify({ name: 'Slow', type: 'private', permissions: ['token:create'] });
  const headers = { 'bt-api-key': key, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const sent = request(`${url}/applications`, {
    method: 'POST',
    // The client would keep its connection open for longer than the server may take to stop.
    agent: new Agent({ keepAlive: true, timeout: 120_000 }),
    headers: { ...headers, expect: '100-continue' },
  });
  const answer = new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
    });
  });
  // The server asks for the body after it has accepted the request, so the test does not depend on timing.
  const begun = new Promise<void>((resolve) => {
    sent.once('continue', () => {
      sent.write(body.slice(0, 10));
      resolve();
    });
  });
  sent.flushHeaders();
  return { begun, answer, finish: () => sent.end(body.slice(10)) };
}

/** Waits until the server accepts no new connections, which shows that it has received the signal. */
async function untilRefused(url: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    const isOpen = await fetch(`${url}/docs/errors`, { headers: { connection: 'close' } }).then(
      (response) => response.text().then(() => true),
      () => false,
    );
    if (!isOpen) return;
  }
  throw new Error('The server goes on taking connections.');
}
