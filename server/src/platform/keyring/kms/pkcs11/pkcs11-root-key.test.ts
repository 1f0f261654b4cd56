import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SoftHsm } from '../../../../../test/harness/soft-hsm.ts';
import { context, otherContexts } from '../../../../../test/harness/key-services/wrap-contexts.ts';
import { Sensitive } from '../../../../core/identity/sensitive.ts';
import { createPkcs11Key } from './pkcs11-key.ts';
import { HsmError, loadPkcs11Module, type Pkcs11Module } from './pkcs11-module.ts';
import { Pkcs11RootKey } from './pkcs11-root-key.ts';
import type { Pkcs11Options } from './pkcs11-session.ts';
import { RootKeyMismatch } from '../root-key.ts';

let hsm: SoftHsm;
let options: Pkcs11Options;
let rootKey: Pkcs11RootKey;
/** A second user of the same library. Its changes to sessions and logins affect the root key too. */
let outside: Pkcs11Module;

beforeAll(async () => {
  hsm = await SoftHsm.start();
  await hsm.addToken('vault', '12345678');
  options = { modulePath: hsm.modulePath, tokenLabel: 'vault', pin: new Sensitive('12345678'), keyLabel: 'root' };
  await createPkcs11Key(options);
  rootKey = await Pkcs11RootKey.open(options);
  outside = await loadPkcs11Module(hsm.modulePath);
});
afterAll(async () => {
  await rootKey.close();
  await hsm.remove();
});

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const slotOfVault = () =>
  outside.library.C_GetSlotList(true).filter((slot) => outside.library.C_GetTokenInfo(slot).label.startsWith('vault '));
function cutSessions(): void {
  for (const slot of slotOfVault()) outside.library.C_CloseAllSessions(slot);
}

describe('wrap and unwrap', () => {
  it('gives back the key that was wrapped', async () => {
    const key = randomBytes(32);
    expect(await rootKey.unwrap(await rootKey.wrap(key, context), context)).toEqual(key);
  });

  it('writes format, IV, ciphertext and tag and nothing of the key', async () => {
    const key = randomBytes(32);
    const wrapped = await rootKey.wrap(key, context);
    expect(wrapped).toHaveLength(1 + 12 + 32 + 16);
    expect(wrapped[0]).toBe(1);
    expect(wrapped.includes(key.subarray(0, 8))).toBe(false);
  });

  it('leaves the key of its caller as it was', async () => {
    const key = Buffer.alloc(32, 7);
    await rootKey.wrap(key, context);
    expect(key).toEqual(Buffer.alloc(32, 7));
  });

  it('never wraps twice to the same bytes', async () => {
    const key = randomBytes(32);
    const wrapped = await Promise.all(Array.from({ length: 50 }, () => rootKey.wrap(key, context)));
    expect(new Set(wrapped.map((bytes) => bytes.subarray(1, 13).toString('hex'))).size).toBe(50);
  });

  it('takes calls in turn, however many come at once', async () => {
    const keys = Array.from({ length: 200 }, () => randomBytes(32));
    const unwrapped = await Promise.all(
      keys.map(async (key) => rootKey.unwrap(await rootKey.wrap(key, context), context)),
    );
    expect(unwrapped).toEqual(keys);
  });

  it.each([0, 16, 31, 33, 64])('refuses to wrap a key of %i bytes', async (length) => {
    await expect(rootKey.wrap(Buffer.alloc(length), context)).rejects.toThrow(TypeError);
  });

  it.each(otherContexts)('refuses a wrapped key of another %s', async (_, other) => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    await expect(rootKey.unwrap(wrapped, other)).rejects.toThrow(RootKeyMismatch);
  });

  it('refuses a wrapped key with any bit changed', async () => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    for (let bit = 0; bit < wrapped.length * 8; bit += 1) {
      const changed = Buffer.from(wrapped);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      await expect(rootKey.unwrap(changed, context)).rejects.toThrow(RootKeyMismatch);
    }
  });

  it('refuses a wrapped key that is shorter or longer', async () => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    for (let length = 0; length < wrapped.length; length += 1) {
      await expect(rootKey.unwrap(wrapped.subarray(0, length), context)).rejects.toThrow(RootKeyMismatch);
    }
    await expect(rootKey.unwrap(Buffer.concat([wrapped, Buffer.alloc(1)]), context)).rejects.toThrow(RootKeyMismatch);
  });

  it('refuses what another key of the same token wrapped', async () => {
    const second = { ...options, keyLabel: 'second' };
    await createPkcs11Key(second);
    const other = await Pkcs11RootKey.open(second);
    const wrapped = await other.wrap(randomBytes(32), context);
    await other.close();
    await expect(rootKey.unwrap(wrapped, context)).rejects.toThrow(RootKeyMismatch);
  });

  it('still works after all of these refusals', async () => {
    const key = randomBytes(32);
    expect(await rootKey.unwrap(await rootKey.wrap(key, context), context)).toEqual(key);
  });
});

describe('the id', () => {
  it('is the same for the same key and another for another', async () => {
    const again = await Pkcs11RootKey.open(options);
    const third = { ...options, keyLabel: 'third' };
    await createPkcs11Key(third);
    const other = await Pkcs11RootKey.open(third);
    expect(again.id).toBe(rootKey.id);
    expect(other.id).not.toBe(rootKey.id);
    await Promise.all([again.close(), other.close()]);
  });

  it('has the provider and 64 bits', () => {
    expect(rootKey.id).toMatch(/^pkcs11:[0-9a-f]{16}$/);
  });
});

describe('an HSM that goes away', () => {
  /** Events that end a session without the root key noticing. */
  const losses: [string, () => void][] = [
    ['its sessions are closed', cutSessions],
    ['its library is finalised', () => outside.library.C_Finalize()],
    [
      'somebody logs out',
      () => {
        const [slot] = slotOfVault();
        if (slot === undefined) throw new Error('The token is missing.');
        const session = outside.library.C_OpenSession(slot, outside.constants.CKF_SERIAL_SESSION);
        outside.library.C_Logout(session);
        outside.library.C_CloseSession(session);
      },
    ],
  ];

  it.each(losses)('fails one call and serves the next when %s', async (_, lose) => {
    const key = randomBytes(32);
    const wrapped = await rootKey.wrap(key, context);
    lose();
    const failure = await failureOf(rootKey.unwrap(wrapped, context));
    expect(failure).toBeInstanceOf(HsmError);
    expect(failure).not.toBeInstanceOf(RootKeyMismatch);
    expect(await rootKey.unwrap(wrapped, context)).toEqual(key);
  });

  it.each(losses)('never calls a damaged key damaged while %s', async (_, lose) => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    wrapped.writeUInt8(wrapped.readUInt8(20) ^ 1, 20);
    lose();
    expect(await failureOf(rootKey.unwrap(wrapped, context))).toBeInstanceOf(HsmError);
    await expect(rootKey.unwrap(wrapped, context)).rejects.toThrow(RootKeyMismatch);
  });

  it('fails while the token is gone and serves again once it is back', async () => {
    const key = randomBytes(32);
    const wrapped = await rootKey.wrap(key, context);
    await hsm.whileAway(async () => {
      outside.library.C_Finalize();
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const failure = await failureOf(rootKey.unwrap(wrapped, context));
        expect(failure).toBeInstanceOf(HsmError);
        expect(failure).not.toBeInstanceOf(RootKeyMismatch);
      }
      outside.library.C_Finalize();
    });
    expect(await rootKey.unwrap(wrapped, context)).toEqual(key);
  });

  it('says nothing of the PIN in an error', async () => {
    cutSessions();
    const failure = await failureOf(rootKey.wrap(randomBytes(32), context));
    expect(failure).toBeInstanceOf(HsmError);
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('12345678');
  });

  it('refuses to continue with another key under the same label', async () => {
    const label = { ...options, keyLabel: 'replaced' };
    await createPkcs11Key(label);
    const replaced = await Pkcs11RootKey.open(label);
    const { library, constants } = outside;
    const [slot] = slotOfVault();
    if (slot === undefined) throw new Error('The token is missing.');
    const session = library.C_OpenSession(slot, constants.CKF_SERIAL_SESSION | constants.CKF_RW_SESSION);
    library.C_FindObjectsInit(session, [{ type: constants.CKA_LABEL, value: 'replaced' }]);
    for (const object of library.C_FindObjects(session, 2)) library.C_DestroyObject(session, object);
    library.C_FindObjectsFinal(session);
    await createPkcs11Key(label);
    cutSessions();
    await failureOf(replaced.wrap(randomBytes(32), context));
    await expect(replaced.wrap(randomBytes(32), context)).rejects.toThrow(
      `this server was started with ${replaced.id}`,
    );
    await replaced.close();
  });

  it('does not connect again once it is closed', async () => {
    const closed = await Pkcs11RootKey.open(options);
    await closed.close();
    await expect(closed.wrap(randomBytes(32), context)).rejects.toThrow('closed');
  });

  it('finishes what is underway before it closes', async () => {
    const closing = await Pkcs11RootKey.open(options);
    const wrapping = Array.from({ length: 20 }, () => closing.wrap(randomBytes(32), context));
    await closing.close();
    expect(await Promise.all(wrapping)).toHaveLength(20);
  });
});
