import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Sensitive } from '../../src/core/identity/sensitive.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { createPkcs11Key } from '../../src/platform/keyring/kms/pkcs11/pkcs11-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { Program } from '../harness/program.ts';
import { SoftHsm } from '../harness/soft-hsm.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { TokenLoad } from '../harness/token-load.ts';

/** Two servers behind a load balancer that sends requests to a server that is up. */
const ports = { a: 0, b: 0 };
const callers = 6;

let database: TestDatabase;
let hsm: SoftHsm;
let base: Record<string, string>;
const file: Record<string, string> = { STRONGROOM_ROOT_KEY: generateRootKey() };
let pkcs11: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  hsm = await SoftHsm.start();
  await hsm.addToken('vault', '123456');
  const key = { modulePath: hsm.modulePath, tokenLabel: 'vault', keyLabel: 'root' };
  await createPkcs11Key({ ...key, pin: new Sensitive('123456') });
  pkcs11 = {
    STRONGROOM_PKCS11_MODULE: hsm.modulePath,
    STRONGROOM_PKCS11_TOKEN: 'vault',
    STRONGROOM_PKCS11_PIN: '123456',
    STRONGROOM_PKCS11_KEY: 'root',
    SOFTHSM2_CONF: process.env['SOFTHSM2_CONF'] ?? '',
  };
  ports.a = await findFreePort();
  ports.b = await findFreePort();
  base = {
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_PUBLIC_URL: 'http://localhost',
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_LOG_LEVEL: 'error',
    STRONGROOM_RATE_LIMITS: 'off',
  };
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await database.drop();
  await hsm.remove();
});

class Fleet {
  load: TokenLoad | undefined;
  readonly #running = new Map<keyof typeof ports, Program>();
  #open: readonly (keyof typeof ports)[] = [];

  get url(): string {
    const [first = 'a'] = this.#open;
    return `http://127.0.0.1:${ports[first]}`;
  }

  /**
   * Restarts the servers one at a time, as in a rolling restart. Traffic is moved off a server first, and returns when
   * it is ready.
   */
  async restart(settings: Record<string, string>): Promise<void> {
    for (const name of ['a', 'b'] as const) {
      this.#open = this.#open.filter((open) => open !== name);
      await this.load?.turnover();
      await this.#running.get(name)?.stop('SIGTERM');
      const server = Program.start(['serve', '--json'], { ...base, ...settings, STRONGROOM_PORT: String(ports[name]) });
      await server.ready();
      this.#running.set(name, server);
      this.#open = [name, ...this.#open];
    }
  }
}

describe('moving the root key from a file to an HSM', () => {
  it('fails no request, and the file is needed by nobody afterwards', async () => {
    const fleet = new Fleet();
    await fleet.restart(file);
    const { stdout } = await Program.run(['bootstrap', '--name', 'Acme', '--json'], { ...base, ...file });
    const made = JSON.parse(stdout) as { keys: { management: string } };
    const load = await TokenLoad.create(() => fleet.url, made.keys.management);
    load.start(callers, { pauseMs: 100 });
    fleet.load = load;
    const keys = (command: string[], settings: Record<string, string>) =>
      Program.run(['keys', ...command, '--json'], { ...base, ...settings });

    const before = { ...file, ...pkcs11, STRONGROOM_ROOT_KEY_PROVIDER: 'file' };
    const after = { ...before, STRONGROOM_ROOT_KEY_PROVIDER: 'pkcs11' };
    const early = await keys(['rotate', 'root'], after);
    expect(early.code).toBe(1);
    expect(early.stderr).toContain('2 of 2 running servers do not wrap keys with root key pkcs11:');
    await fleet.restart(before);
    await fleet.restart(after);
    const rotated = await keys(['rotate', 'root'], after);
    // On a busy machine, the command takes long enough to report progress.
    expect(rotated.stderr.replaceAll(/^\{"progress":.*\n/gm, '')).toBe('');
    expect(JSON.parse(rotated.stdout)).toMatchObject({ root_key: expect.stringMatching(/^pkcs11:/), untouched: 0 });
    await fleet.restart(pkcs11);
    const again = JSON.parse((await keys(['rotate', 'root'], pkcs11)).stdout) as { rewrapped: number };
    expect(again.rewrapped).toBe(0);
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(load.done).toBeGreaterThan(100);

    const { rows } = await database.owner.query<{ root_key: string }>(
      'select distinct root_key from tenant_keys union select root_key from system_keys',
    );
    expect(rows.map(({ root_key: id }) => id.split(':')[0])).toEqual(['pkcs11']);
    const alone = await Program.run(['doctor', '--json'], { ...base, ...file });
    expect(alone.stdout).toContain('Wrong root key');
    const hsmOnly = await Program.run(['doctor', '--json'], { ...base, ...pkcs11 });
    expect(hsmOnly.stdout).toContain('unwraps every tenant key');
  });
});
