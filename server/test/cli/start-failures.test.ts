import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { Program } from '../harness/program.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

let database: TestDatabase;
let occupant: Server;
let taken: string;
let settings: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  occupant = createServer().listen(0, '127.0.0.1');
  await once(occupant, 'listening');
  taken = String((occupant.address() as AddressInfo).port);
  settings = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: '0',
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_LOG_LEVEL: 'error',
  };
});
afterEach(() => Program.killAll());
afterAll(async () => {
  occupant.close();
  await database.drop();
});

const withLogin = (user: string, password: string) => {
  const url = new URL(database.url);
  [url.username, url.password] = [user, password];
  return url.href;
};

describe('a start that cannot succeed ends with one line that says what to do', () => {
  it.each<[string, string, () => Record<string, string>, string]>([
    [
      'a port that is taken',
      'serve',
      () => ({ STRONGROOM_PORT: taken }),
      'Port {taken} is already in use (127.0.0.1:{taken}). Stop what is using it, or set STRONGROOM_PORT (for strongroom dev: --port) to another port.',
    ],
    [
      'an admin port that is taken',
      'serve',
      () => ({ STRONGROOM_ADMIN_PORT: taken }),
      'Port {taken} is already in use (127.0.0.1:{taken}). Stop what is using it, or set STRONGROOM_ADMIN_PORT to another port.',
    ],
    [
      'the port of a worker that is taken',
      'work',
      () => ({ STRONGROOM_WORKER_ADMIN_PORT: taken }),
      'Port {taken} is already in use (127.0.0.1:{taken}). Stop what is using it, or set STRONGROOM_WORKER_ADMIN_PORT to another port.',
    ],
    [
      'an address that this machine does not have',
      'serve',
      () => ({ STRONGROOM_HOST: '192.0.2.1' }),
      'This machine does not have the address 192.0.2.1. Set STRONGROOM_HOST to one that it has, or to 0.0.0.0 for all.',
    ],
    [
      'a database that refuses connections',
      'serve',
      () => ({ STRONGROOM_DATABASE_URL: 'postgresql://vault:s3cr3t@127.0.0.1:1/vault' }),
      'Database unreachable: connection refused (127.0.0.1:1). Check that PostgreSQL is running and that STRONGROOM_DATABASE_URL names its host and port.',
    ],
    [
      'a login that the database refuses',
      'serve',
      () => ({ STRONGROOM_DATABASE_URL: withLogin('nobody', 's3cr3t') }),
      'Database unreachable: login refused. Check user and password in STRONGROOM_DATABASE_URL, and pg_hba.conf.',
    ],
    [
      'a database that does not exist',
      'migrate',
      () => ({ STRONGROOM_DATABASE_OWNER_URL: new URL('/nowhere', database.url).href }),
      'Database unreachable: no such database. Create the database, or check its name in STRONGROOM_DATABASE_OWNER_URL or STRONGROOM_DATABASE_URL.',
    ],
  ])('%s', async (_name, command, wrong, line) => {
    const { code, stdout, stderr } = await Program.run([command], { ...settings, ...wrong() });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`${line.replaceAll('{taken}', taken)}\n`);
  });
});

describe('a setting', () => {
  it('that is missing is told from one that is not valid, each in a line of its own', async () => {
    const { code, stderr } = await Program.run(['serve'], {
      STRONGROOM_PORT: 'http',
      STRONGROOM_DATABASE_URL: 'mysql://x',
    });
    expect(code).toBe(2);
    const lines = stderr.split('\n');
    expect(lines[0]).toBe('The configuration is neither complete nor valid:');
    expect(lines).toContain('  STRONGROOM_PORT is not valid: a port from 0 to 65535.');
    expect(lines).toContain('  STRONGROOM_PUBLIC_URL is not set: the public URL of this vault.');
    expect(stderr).toMatch(/STRONGROOM_DATABASE_URL is not valid: the address of a PostgreSQL database/);
    expect(stderr).not.toContain('mysql');
  });
});

describe('the address that serve prints', () => {
  const addresses: [string, RegExp][] = [
    ['0.0.0.0', /^http:\/\/0\.0\.0\.0:\d+$/],
    ['::1', /^http:\/\/\[::1\]:\d+$/],
  ];
  it.each(addresses.filter(([host]) => host === '0.0.0.0' || hasAddress(host)))(
    'is the one that is bound: %s',
    async (host, address) => {
      const program = Program.start(['serve', '--json'], { ...settings, STRONGROOM_HOST: host });
      const { url, admin_url } = await program.ready<{ url: string; admin_url: string }>();
      expect(url).toMatch(address);
      expect(admin_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect((await fetch(`${url}/docs/errors`)).status).toBe(200);
    },
  );
});

/** Returns true if this machine has the address. Not every machine has IPv6. */
function hasAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address) === true);
}
