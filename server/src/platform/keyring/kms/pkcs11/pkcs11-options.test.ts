import { randomBytes } from 'node:crypto';
import type { Attribute, Handle } from 'pkcs11js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SoftHsm } from '../../../../../test/harness/soft-hsm.ts';
import { context } from '../../../../../test/harness/key-services/wrap-contexts.ts';
import { Sensitive } from '../../../../core/identity/sensitive.ts';
import { createPkcs11Key } from './pkcs11-key.ts';
import { HsmError, loadPkcs11Module, type Pkcs11Module } from './pkcs11-module.ts';
import { Pkcs11RootKey } from './pkcs11-root-key.ts';
import { PinRefused, type Pkcs11Options } from './pkcs11-session.ts';

const pin = new Sensitive('12345678');
let hsm: SoftHsm;
let options: Pkcs11Options;
let outside: Pkcs11Module;

beforeAll(async () => {
  hsm = await SoftHsm.start();
  for (const label of ['vault', 'another', 'twin', 'twin', 'repinned']) await hsm.addToken(label, '12345678');
  options = { modulePath: hsm.modulePath, tokenLabel: 'vault', pin, keyLabel: 'root' };
  await createPkcs11Key(options);
  outside = await loadPkcs11Module(hsm.modulePath);
});
afterAll(() => hsm.remove());

async function refusal(changed: Partial<Pkcs11Options>): Promise<HsmError> {
  const failure: unknown = await Pkcs11RootKey.open({ ...options, ...changed }).catch((error: unknown) => error);
  if (!(failure instanceof HsmError)) throw new Error('It was not refused.', { cause: failure });
  return failure;
}

/**
 * Changes the token like its administrator would, with operations that the vault does not have. This ends every session
 * of the token.
 */
function asAdministrator(tokenLabel: string, work: (session: Handle) => void, userPin = '12345678'): void {
  const { library, constants } = outside;
  const slot = library
    .C_GetSlotList(true)
    .find((candidate) => library.C_GetTokenInfo(candidate).label.trimEnd() === tokenLabel);
  if (slot === undefined) throw new Error('The token is missing.');
  const session = library.C_OpenSession(slot, constants.CKF_SERIAL_SESSION | constants.CKF_RW_SESSION);
  try {
    library.C_Login(session, constants.CKU_USER, userPin);
    work(session);
  } finally {
    library.C_CloseAllSessions(slot);
  }
}

function endSessions(tokenLabel: string): void {
  const { library } = outside;
  for (const slot of library.C_GetSlotList(true)) {
    if (library.C_GetTokenInfo(slot).label.trimEnd() === tokenLabel) library.C_CloseAllSessions(slot);
  }
}

function addKey(keyLabel: string, changed: Attribute[]): void {
  const { library, constants } = outside;
  const usual: Attribute[] = [
    { type: constants.CKA_CLASS, value: constants.CKO_SECRET_KEY },
    { type: constants.CKA_KEY_TYPE, value: constants.CKK_AES },
    { type: constants.CKA_LABEL, value: keyLabel },
    { type: constants.CKA_TOKEN, value: true },
    { type: constants.CKA_ENCRYPT, value: true },
    { type: constants.CKA_DECRYPT, value: true },
    { type: constants.CKA_VALUE_LEN, value: 32 },
    { type: constants.CKA_SENSITIVE, value: true },
    { type: constants.CKA_EXTRACTABLE, value: false },
  ];
  const isChanged = ({ type }: Attribute) => changed.some((attribute) => attribute.type === type);
  const attributes = [...usual.filter((attribute) => !isChanged(attribute)), ...changed];
  asAdministrator('vault', (session) => {
    library.C_GenerateKey(session, { mechanism: constants.CKM_AES_KEY_GEN }, attributes);
  });
}

describe('a root key that cannot be opened', () => {
  it('says so in one line when the package is missing', async () => {
    const missing = loadPkcs11Module('/some/other/module.so', () => Promise.reject(new Error('Cannot find package')));
    await expect(missing).rejects.toThrow(/^[^\n]*pkcs11js, which is not installed\. Run: npm install pkcs11js$/);
  });

  it.each(['/nowhere/module.so', '/etc/passwd', ''])(
    'names the module when %j cannot be loaded',
    async (modulePath) => {
      const { message } = await refusal({ modulePath });
      expect(message).toBe(
        `The PKCS#11 module ${modulePath} cannot be loaded. Install the client software of the HSM, or correct the path.`,
      );
    },
  );

  it.each(['absent', 'vault2', 'VAULT', 'vaul', ''])(
    'names the tokens there are when none is labelled %j',
    async (tokenLabel) => {
      const { message } = await refusal({ tokenLabel });
      expect(message).toMatch(
        new RegExp(`^The HSM has no token labelled "${tokenLabel}" \\(it has: .*vault.*\\)\\. [^\\n]+$`),
      );
    },
  );

  it('refuses a token label that two tokens share', async () => {
    expect((await refusal({ tokenLabel: 'twin' })).message).toContain('several tokens labelled "twin"');
  });

  it.each(['87654321', '1234567', '', '123456789'])('refuses the wrong PIN and warns of locking', async (wrong) => {
    const failure = await refusal({ pin: new Sensitive(wrong), tokenLabel: 'another' });
    expect(failure).toBeInstanceOf(PinRefused);
    expect(failure.message).toMatch(
      /^The HSM rejected the PIN of token "another" \(CKR_PIN_\w+\)\. Correct it [^\n]+$/,
    );
    if (wrong !== '') expect(failure.message).not.toContain(wrong);
  });

  it.each(['absent', 'ROOT', 'root ', ''])('refuses the key label %j, which no key has', async (keyLabel) => {
    const { message } = await refusal({ keyLabel });
    expect(message).toBe(
      `There is no AES key labelled "${keyLabel}" in token "vault". Correct the label, or create the key.`,
    );
  });

  it('refuses a key label that two keys share', async () => {
    addKey('shared', []);
    addKey('shared', []);
    expect((await refusal({ keyLabel: 'shared' })).message).toContain('several AES keys labelled "shared"');
  });

  it.each([16, 24])('refuses a key of %i bytes', async (length) => {
    addKey(`short ${length}`, [{ type: outside.constants.CKA_VALUE_LEN, value: length }]);
    expect((await refusal({ keyLabel: `short ${length}` })).message).toContain('does not have 256 bits');
  });

  it('refuses a key that can be read out of the HSM', async () => {
    const { CKA_SENSITIVE, CKA_EXTRACTABLE } = outside.constants;
    addKey('readable', [
      { type: CKA_SENSITIVE, value: false },
      { type: CKA_EXTRACTABLE, value: true },
    ]);
    expect((await refusal({ keyLabel: 'readable' })).message).toContain('can be extracted from the HSM');
  });

  it('keeps no session of an attempt that failed', async () => {
    await refusal({ keyLabel: 'absent' });
    // If a login were still active, this one would fail as "already logged in".
    asAdministrator('vault', () => undefined);
  });
});

describe('createPkcs11Key', () => {
  const valueOf = (keyLabel: string, type: number) => {
    const { library, constants } = outside;
    let value: unknown;
    asAdministrator('vault', (session) => {
      library.C_FindObjectsInit(session, [{ type: constants.CKA_LABEL, value: keyLabel }]);
      const [key] = library.C_FindObjects(session, 1);
      library.C_FindObjectsFinal(session);
      if (key === undefined) throw new Error('The key is missing.');
      value = library.C_GetAttributeValue(session, key, [{ type }])[0]?.value;
    });
    return value;
  };

  it('makes a key of 256 bits that is sensitive and not extractable', () => {
    const { CKA_VALUE_LEN, CKA_SENSITIVE, CKA_EXTRACTABLE, CKA_PRIVATE } = outside.constants;
    expect(valueOf('root', CKA_VALUE_LEN)).toEqual(Buffer.from([32, 0, 0, 0, 0, 0, 0, 0]));
    expect(valueOf('root', CKA_SENSITIVE)).toEqual(Buffer.of(1));
    expect(valueOf('root', CKA_EXTRACTABLE)).toEqual(Buffer.of(0));
    expect(valueOf('root', CKA_PRIVATE)).toEqual(Buffer.of(1));
  });

  it('makes a key whose value nobody can read', () => {
    expect(() => valueOf('root', outside.constants.CKA_VALUE)).toThrow('CKR_ATTRIBUTE_SENSITIVE');
  });

  it('makes a key that wraps no other key', () => {
    expect(valueOf('root', outside.constants.CKA_WRAP)).toEqual(Buffer.of(0));
    expect(valueOf('root', outside.constants.CKA_UNWRAP)).toEqual(Buffer.of(0));
  });

  it('refuses a label that is taken and leaves the key there alone', async () => {
    const before = await idOfRoot();
    await expect(createPkcs11Key(options)).rejects.toThrow('already has a key labelled "root"');
    expect(await idOfRoot()).toBe(before);
  });

  it('refuses a wrong PIN', async () => {
    await expect(createPkcs11Key({ ...options, tokenLabel: 'another', pin: new Sensitive('0000') })).rejects.toThrow(
      PinRefused,
    );
  });

  const idOfRoot = async () => {
    const rootKey = await Pkcs11RootKey.open(options);
    await rootKey.close();
    return rootKey.id;
  };
});

describe('a PIN that is changed while the server runs', () => {
  it('is tried once and not again, because a few wrong tries lock a token', async () => {
    const repinned = { ...options, tokenLabel: 'repinned' };
    await createPkcs11Key(repinned);
    const rootKey = await Pkcs11RootKey.open(repinned);
    const wrap = () => rootKey.wrap(randomBytes(32), context);
    const change = (from: string, to: string) =>
      asAdministrator('repinned', (session) => outside.library.C_SetPIN(session, from, to), from);

    endSessions('repinned');
    change('12345678', '11112222');
    await expect(wrap()).rejects.toThrow(HsmError);
    await expect(wrap()).rejects.toThrow(PinRefused);
    change('11112222', '12345678');
    // The PIN would be accepted now. The rejection shows that it was not tried again.
    await expect(wrap()).rejects.toThrow(PinRefused);
  });
});
