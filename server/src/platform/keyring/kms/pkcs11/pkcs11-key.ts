import type { Attribute, Handle } from 'pkcs11js';
import { HsmError } from './pkcs11-module.ts';
import { type Pkcs11Options, Pkcs11Session } from './pkcs11-session.ts';

const keyLength = 32;

/** Creates a root key inside the HSM. It never leaves the HSM, not even wrapped. */
export async function createPkcs11Key(options: Pkcs11Options): Promise<void> {
  const session = await Pkcs11Session.open(options, 'read-write');
  try {
    if (session.findObjects(labelled(session, options.keyLabel)).length > 0) {
      throw new HsmError(
        `Token "${options.tokenLabel}" already has a key labelled "${options.keyLabel}". Choose another label.`,
      );
    }
    await session.generateKey(newKey(session, options.keyLabel));
  } finally {
    session.close();
  }
}

/** Finds the key and rejects one that is not suitable as a root key. */
export function findPkcs11Key(session: Pkcs11Session, { keyLabel, tokenLabel }: Pkcs11Options): Handle {
  const { constants } = session;
  const described = `labelled "${keyLabel}" in token "${tokenLabel}"`;
  const [key, another] = session.findObjects(labelled(session, keyLabel));
  if (key === undefined)
    throw new HsmError(`There is no AES key ${described}. Correct the label, or create the key.`, undefined, 'gone');
  if (another !== undefined)
    throw new HsmError(`There are several AES keys ${described}. Give each a label of its own.`, undefined, 'unusable');

  if (session.attribute(key, constants.CKA_VALUE_LEN)[0] !== keyLength) {
    throw new HsmError(`The AES key ${described} does not have 256 bits. Create one that has.`, undefined, 'unusable');
  }
  const isSensitive = session.attribute(key, constants.CKA_SENSITIVE)[0] === 1;
  const isExtractable = session.attribute(key, constants.CKA_EXTRACTABLE)[0] === 1;
  if (!isSensitive && isExtractable) {
    throw new HsmError(
      `The AES key ${described} can be extracted from the HSM. Create one that is sensitive or not extractable.`,
      undefined,
      'unusable',
    );
  }
  return key;
}

function labelled({ constants }: Pkcs11Session, keyLabel: string): Attribute[] {
  return [
    { type: constants.CKA_CLASS, value: constants.CKO_SECRET_KEY },
    { type: constants.CKA_KEY_TYPE, value: constants.CKK_AES },
    { type: constants.CKA_LABEL, value: keyLabel },
  ];
}

function newKey(session: Pkcs11Session, keyLabel: string): Attribute[] {
  const { constants } = session;
  return [
    ...labelled(session, keyLabel),
    { type: constants.CKA_VALUE_LEN, value: keyLength },
    { type: constants.CKA_TOKEN, value: true },
    { type: constants.CKA_PRIVATE, value: true },
    { type: constants.CKA_SENSITIVE, value: true },
    { type: constants.CKA_EXTRACTABLE, value: false },
    { type: constants.CKA_ENCRYPT, value: true },
    { type: constants.CKA_DECRYPT, value: true },
    { type: constants.CKA_WRAP, value: false },
    { type: constants.CKA_UNWRAP, value: false },
  ];
}
