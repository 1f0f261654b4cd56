/** The recipient of an export. All of its fields are public. */
export interface ExportRecipient {
  readonly kind: 'age' | 'pgp';
  /** A recipient in the form that `age -r` accepts, or an armored OpenPGP key. */
  readonly text: string;
  /** The text that people compare to confirm the recipient. */
  readonly fingerprint: string;
}

type Bytes = ReadableStream<Uint8Array>;

const agePattern = /^age1[02-9ac-hj-np-z]{20,4000}$/;

/** Parses an age recipient. Throws an error with a message for the operator who specified it. */
export async function parseAgeRecipient(text: string): Promise<ExportRecipient> {
  const { Encrypter } = await import('age-encryption');
  try {
    if (!agePattern.test(text)) throw new TypeError('Not a recipient.');
    new Encrypter().addRecipient(text);
  } catch (error) {
    throw new Error('This is not an age recipient. A recipient looks like age1…; `age-keygen -y key.txt` prints it.', {
      cause: error,
    });
  }
  return { kind: 'age', text, fingerprint: text };
}

/** Parses an OpenPGP key. Throws an error with a message for the operator who specified it. */
export async function parsePgpKey(text: string): Promise<ExportRecipient> {
  const { readKey } = await import('openpgp');
  const key = await readKey({ armoredKey: text }).catch((error: unknown) => {
    throw new Error(
      'The file does not contain exactly one armored OpenPGP key. `gpg --armor --export <key>` writes it.',
      {
        cause: error,
      },
    );
  });
  if (key.isPrivate()) {
    throw new Error('This is a private key. Use the public key: `gpg --armor --export <key>` writes it.');
  }
  await key.getEncryptionKey().catch((error: unknown) => {
    throw new Error('This OpenPGP key cannot be used for encryption: it is expired, revoked or for signing only.', {
      cause: error,
    });
  });
  const groups =
    key
      .getFingerprint()
      .toUpperCase()
      .match(/.{1,4}/g) ?? [];
  return { kind: 'pgp', text: key.armor(), fingerprint: groups.join(' ') };
}

/** Encrypts a stream. The complete plaintext is never in memory or on disk. */
export async function encryptFor(
  { kind, text }: Pick<ExportRecipient, 'kind' | 'text'>,
  plaintext: Bytes,
): Promise<Bytes> {
  if (kind === 'age') {
    const { Encrypter } = await import('age-encryption');
    const encrypter = new Encrypter();
    encrypter.addRecipient(text);
    return encrypter.encrypt(plaintext);
  }
  const { createMessage, encrypt, readKey } = await import('openpgp');
  const message = await createMessage({ binary: plaintext });
  return encrypt({ message, encryptionKeys: await readKey({ armoredKey: text }), format: 'binary' });
}
