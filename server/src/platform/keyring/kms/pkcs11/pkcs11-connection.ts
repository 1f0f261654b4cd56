import { createHash, randomBytes } from 'node:crypto';
import type { AesGCM, Handle, Mechanism } from 'pkcs11js';
import { findPkcs11Key } from './pkcs11-key.ts';
import { HsmError, resultOf } from './pkcs11-module.ts';
import { type Pkcs11Options, Pkcs11Session } from './pkcs11-session.ts';
import {
  keyLength,
  probeContext,
  requireKeyLength,
  RootKeyMismatch,
  type WrapContext,
  wrapContextBytes,
} from '../root-key.ts';

/*
 * A wrapped key, byte by byte:
 *
 *   offset  length  content
 *        0       1  format, 1
 *        1      12  IV, from the random number generator of the HSM
 *       13      32  ciphertext
 *       45      16  GCM tag
 *
 * Random IVs are safe here: an installation wraps thousands of keys, and AES-GCM allows 2³².
 */
const format = 1;
const ivStart = 1;
const ciphertextStart = 13;
const wrappedLength = 61;
const tagLength = 16;

/**
 * A block that the key encrypts once, so that keys can be told apart. It has 16 bytes, which is one block, and it is
 * never a block that GCM encrypts: the hash key comes from the all-zero block, and the counter blocks end in 1, 2 or 3
 * while this one ends in text. The id shows eight bytes of the SHA-256 of the result, so not even one pair of plaintext
 * and ciphertext is revealed. Even if it were, the key of a block cipher cannot be derived from such a pair.
 */
const fingerprintBlock = Buffer.from('strongroom/key/1', 'ascii');

/**
 * Errors that an HSM reports for bad bytes. The second list has errors that some HSMs, such as SoftHSM, report for any
 * failure.
 */
const ciphertextResults = ['CKR_ENCRYPTED_DATA_INVALID', 'CKR_ENCRYPTED_DATA_LEN_RANGE'];
const vagueResults = ['CKR_GENERAL_ERROR', 'CKR_FUNCTION_FAILED', 'CKR_DATA_INVALID', 'CKR_ARGUMENTS_BAD'];

/** The root key for the duration of one session. Calls must not overlap. */
export class Pkcs11Connection {
  readonly id: string;
  readonly #session: Pkcs11Session;
  readonly #key: Handle;

  static async open(options: Pkcs11Options): Promise<Pkcs11Connection> {
    const session = await Pkcs11Session.open(options, 'read-only');
    try {
      const key = findPkcs11Key(session, options);
      return new Pkcs11Connection(session, key, await fingerprint(session, key));
    } catch (error) {
      session.close();
      throw error;
    }
  }

  private constructor(session: Pkcs11Session, key: Handle, id: string) {
    this.#session = session;
    this.#key = key;
    this.id = id;
  }

  async wrap(key: Buffer, context: WrapContext): Promise<Buffer> {
    requireKeyLength(key);
    const iv = this.#session.random(ciphertextStart - ivStart);
    const sealed = await this.#session.encrypt(key, this.#key, this.#gcm(iv, context));
    if (sealed.length !== keyLength + tagLength) {
      throw new HsmError(
        'The HSM does not append a 128-bit tag in AES-GCM. Use one that conforms to PKCS#11 2.40.',
        undefined,
        'unusable',
      );
    }
    return Buffer.concat([Buffer.of(format), iv, sealed]);
  }

  async unwrap(wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    if (wrapped.length !== wrappedLength || wrapped[0] !== format) throw new RootKeyMismatch();
    try {
      return await this.#decrypt(wrapped, context);
    } catch (error) {
      const result = resultOf(error);
      if (ciphertextResults.includes(result)) throw new RootKeyMismatch();
      if (vagueResults.includes(result) && (await this.#opensItsOwn())) throw new RootKeyMismatch();
      throw error;
    }
  }

  close(): void {
    this.#session.close();
  }

  /** Tests the HSM with a known input after an ambiguous error. If that succeeds, the bytes were at fault. */
  async #opensItsOwn(): Promise<boolean> {
    const probe = randomBytes(keyLength);
    return probe.equals(await this.#decrypt(await this.wrap(probe, probeContext), probeContext));
  }

  #decrypt(wrapped: Buffer, context: WrapContext): Promise<Buffer> {
    const iv = wrapped.subarray(ivStart, ciphertextStart);
    return this.#session.decrypt(wrapped.subarray(ciphertextStart), this.#key, this.#gcm(iv, context));
  }

  #gcm(iv: Buffer, context: WrapContext): Mechanism {
    const { CKM_AES_GCM, CK_PARAMS_AES_GCM_v240 } = this.#session.constants;
    const parameter: AesGCM = {
      type: CK_PARAMS_AES_GCM_v240,
      iv,
      ivBits: iv.length * 8,
      aad: wrapContextBytes(context),
      tagBits: tagLength * 8,
    };
    return { mechanism: CKM_AES_GCM, parameter };
  }
}

async function fingerprint(session: Pkcs11Session, key: Handle): Promise<string> {
  const encrypted = await session.encrypt(fingerprintBlock, key, { mechanism: session.constants.CKM_AES_ECB });
  return `pkcs11:${createHash('sha256').update(encrypted).digest('hex').slice(0, 16)}`;
}
