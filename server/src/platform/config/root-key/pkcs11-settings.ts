import type { Pkcs11Options } from '../../keyring/kms/pkcs11/pkcs11-session.ts';
import { group, setting, whereSet } from '../reading.ts';
import { rootKeyReading } from './root-key-reading.ts';
import type { Reading } from '../setting.ts';
import { parseSecret, parseText } from '../setting-parsers.ts';

const modulePath = setting('STRONGROOM_PKCS11_MODULE', parseText, {
  expectation: 'the path of the PKCS#11 library of the HSM',
  example: '/usr/lib/softhsm/libsofthsm2.so',
});
const tokenLabel = setting('STRONGROOM_PKCS11_TOKEN', parseText, {
  expectation: 'the label of the token that holds the root key',
  example: 'strongroom',
});
const pin = setting('STRONGROOM_PKCS11_PIN', parseSecret, {
  expectation: 'the user PIN of the token',
  example: '1234',
  secret: 'credential',
});
const keyLabel = setting('STRONGROOM_PKCS11_KEY', parseText, {
  expectation: 'the label of the AES-256 key on the token',
  example: 'strongroom-root',
});
const previousLabel = setting('STRONGROOM_PREVIOUS_PKCS11_KEY', parseText, {
  expectation: 'the label of the key on the same token that STRONGROOM_PKCS11_KEY replaces',
  example: 'strongroom-root-2025',
});

/** A root key in an HSM. */
export const pkcs11Key = keyWith(keyLabel);
export const previousPkcs11Key = whereSet(modulePath, whereSet(previousLabel, keyWith(previousLabel)));

function keyWith(keyLabel: Reading<string>) {
  return rootKeyReading('pkcs11', group<Pkcs11Options>({ modulePath, tokenLabel, pin, keyLabel }), async (options) => {
    const { Pkcs11RootKey } = await import('../../keyring/kms/pkcs11/pkcs11-root-key.ts');
    return Pkcs11RootKey.open(options);
  });
}
