import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Sensitive } from '../../src/core/identity/sensitive.ts';
import { createPkcs11Key } from '../../src/platform/keyring/kms/pkcs11/pkcs11-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { untilTrue } from '../harness/deadline.ts';
import { Program } from '../harness/program.ts';
import { SoftHsm } from '../harness/soft-hsm.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/** A token is locked after a few wrong PINs, so a PIN that was refused must not be tried again by a restart. */
let hsm: SoftHsm;
let test: TestDatabase;
let settings: Record<string, string>;
beforeAll(async () => {
  [hsm, test] = await Promise.all([SoftHsm.start(), createTestDatabase()]);
  await hsm.addToken('vault', '1234');
  const options = { modulePath: hsm.modulePath, tokenLabel: 'vault', keyLabel: 'root', pin: new Sensitive('1234') };
  await createPkcs11Key(options);
  settings = {
    STRONGROOM_DATABASE_URL: test.url,
    STRONGROOM_PKCS11_MODULE: hsm.modulePath,
    STRONGROOM_PKCS11_TOKEN: 'vault',
    STRONGROOM_PKCS11_KEY: 'root',
    STRONGROOM_PKCS11_PIN: '4321',
    STRONGROOM_PUBLIC_URL: 'https://vault.example.com',
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: '0',
    SOFTHSM2_CONF: process.env['SOFTHSM2_CONF'] ?? '',
  };
});
afterEach(() => Program.killAll());
afterAll(async () => {
  await Promise.all([hsm.remove(), test.drop()]);
});

const message = 'The HSM rejected the PIN of token "vault" (CKR_PIN_INCORRECT).';

describe.each([
  ['serve', 'STRONGROOM_ADMIN_PORT'],
  ['work', 'STRONGROOM_WORKER_ADMIN_PORT'],
])('%s with a PIN that the HSM refuses', (command, portVariable) => {
  it('exits with status 2, so that a unit does not restart it', async () => {
    const { code, stderr } = await Program.run([command], { ...settings, [portVariable]: '0' });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('stays up and is never ready where whatever exits is restarted, and ends with status 2 when told to', async () => {
    const port = String(await findFreePort());
    const program = Program.start([command], {
      ...settings,
      [portVariable]: port,
      STRONGROOM_STAY_WHEN_REFUSED: 'true',
    });
    const status = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        (response) => response.status,
        () => 0,
      );
    await untilTrue(async () => (await status('/livez')) === 200, { waitingFor: 'the process to stay' });
    expect(await status('/readyz')).toBe(503);
    const { code, stderr } = await program.stop();
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr.match(/"msg":"start refused"/g)).toHaveLength(1);
  });
});

it('exits with status 2 even if its port is taken, instead of trying the PIN again', async () => {
  const occupant = createServer().listen(0, '127.0.0.1');
  await once(occupant, 'listening');
  const port = String((occupant.address() as AddressInfo).port);
  const stay = { STRONGROOM_ADMIN_PORT: port, STRONGROOM_STAY_WHEN_REFUSED: 'true' };
  const { code, stderr } = await Program.run(['serve'], { ...settings, ...stay });
  occupant.close();
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

it('exits with status 1 for any other failure of the HSM, which another attempt may mend', async () => {
  const { code } = await Program.run(['serve'], { ...settings, STRONGROOM_PKCS11_TOKEN: 'absent' });
  expect(code).toBe(1);
});
