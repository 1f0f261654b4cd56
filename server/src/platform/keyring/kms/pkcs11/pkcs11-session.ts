import type { Attribute, Handle, Mechanism } from 'pkcs11js';
import type { Sensitive } from '../../../../core/identity/sensitive.ts';
import { HsmError, loadPkcs11Module, type Pkcs11Module, resultOf } from './pkcs11-module.ts';

/** A token of an HSM and the key in it. */
export interface Pkcs11Options {
  /** The path of the library that came with the HSM. */
  readonly modulePath: string;
  readonly tokenLabel: string;
  readonly pin: Sensitive<string>;
  readonly keyLabel: string;
}

/** Thrown if the HSM rejects this PIN. Another attempt could lock the token. */
export class PinRefused extends HsmError {
  override get isFinal(): boolean {
    return true;
  }
}

const pinResults = ['CKR_PIN_INCORRECT', 'CKR_PIN_INVALID', 'CKR_PIN_LEN_RANGE', 'CKR_PIN_EXPIRED', 'CKR_PIN_LOCKED'];

/**
 * One logged-in session with one token. PKCS#11 allows one operation at a time in a session, so calls must not overlap.
 * Encryption, decryption and key creation run on a pool thread. All other calls block, because pkcs11js has no
 * asynchronous form of them.
 */
export class Pkcs11Session {
  readonly #module: Pkcs11Module;
  readonly #session: Handle;

  static async open(options: Pkcs11Options, mode: 'read-only' | 'read-write'): Promise<Pkcs11Session> {
    const module = await loadPkcs11Module(options.modulePath);
    const { constants, library } = module;
    const slot = findSlot(module, options.tokenLabel);
    const writing = mode === 'read-write' ? constants.CKF_RW_SESSION : 0;
    const session = library.C_OpenSession(slot, constants.CKF_SERIAL_SESSION | writing);
    try {
      logIn(module, session, options);
    } catch (error) {
      library.C_CloseSession(session);
      throw error;
    }
    return new Pkcs11Session(module, session);
  }

  private constructor(module: Pkcs11Module, session: Handle) {
    this.#module = module;
    this.#session = session;
  }

  get constants(): Pkcs11Module['constants'] {
    return this.#module.constants;
  }

  /** Finds at most two objects, which is enough to detect a label that is not unique. */
  findObjects(attributes: Attribute[]): Handle[] {
    const { library } = this.#module;
    library.C_FindObjectsInit(this.#session, attributes);
    try {
      return library.C_FindObjects(this.#session, 2);
    } finally {
      library.C_FindObjectsFinal(this.#session);
    }
  }

  /** Returns one attribute as raw bytes from the HSM. Numbers are little-endian on every supported platform. */
  attribute(object: Handle, type: number): Buffer {
    const [found] = this.#module.library.C_GetAttributeValue(this.#session, object, [{ type }]);
    return Buffer.isBuffer(found?.value) ? found.value : Buffer.alloc(0);
  }

  random(length: number): Buffer {
    return this.#module.library.C_GenerateRandom(this.#session, Buffer.alloc(length));
  }

  async generateKey(attributes: Attribute[]): Promise<void> {
    const mechanism = { mechanism: this.constants.CKM_AES_KEY_GEN };
    await this.#module.library.C_GenerateKeyAsync(this.#session, mechanism, attributes);
  }

  async encrypt(data: Buffer, key: Handle, mechanism: Mechanism): Promise<Buffer> {
    const { library } = this.#module;
    library.C_EncryptInit(this.#session, mechanism, key);
    return withCopy(data, (copy) => library.C_EncryptAsync(this.#session, copy, Buffer.alloc(data.length + 16)));
  }

  async decrypt(data: Buffer, key: Handle, mechanism: Mechanism): Promise<Buffer> {
    const { library } = this.#module;
    library.C_DecryptInit(this.#session, mechanism, key);
    return withCopy(data, (copy) => library.C_DecryptAsync(this.#session, copy, Buffer.alloc(data.length)));
  }

  /** Closes the session. Returns false if it was no longer open. */
  close(): boolean {
    try {
      this.#module.library.C_CloseSession(this.#session);
      return true;
    } catch {
      // The session was already lost together with the HSM or the login, so there is nothing to close.
      return false;
    }
  }
}

/**
 * Runs work on a copy that is wiped afterwards. A worker thread accesses the memory of the copy directly, and pkcs11js
 * holds no reference to it. This function holds one until the work ends, so the memory is neither freed nor reused.
 */
async function withCopy(data: Buffer, work: (copy: Buffer) => Promise<Buffer>): Promise<Buffer> {
  const copy = Buffer.from(data);
  try {
    return await work(copy);
  } finally {
    copy.fill(0);
  }
}

function findSlot({ constants, library }: Pkcs11Module, tokenLabel: string): Handle {
  const tokens = library
    .C_GetSlotList(true)
    .map((slot) => ({ slot, ...library.C_GetTokenInfo(slot) }))
    .filter(({ flags }) => (flags & constants.CKF_TOKEN_INITIALIZED) !== 0)
    // PKCS#11 pads labels with spaces to 32 bytes.
    .map(({ slot, label }) => ({ slot, label: label.trimEnd() }));
  const [found, another] = tokens.filter(({ label }) => label === tokenLabel);
  if (found === undefined) {
    const labels = tokens.map(({ label }) => `"${label}"`).join(', ');
    throw new HsmError(
      `The HSM has no token labelled "${tokenLabel}" (it has: ${labels || 'none'}). Correct the label, or initialise the token.`,
    );
  }
  if (another !== undefined) {
    throw new HsmError(
      `The HSM has several tokens labelled "${tokenLabel}". Give each a unique label.`,
      undefined,
      'unusable',
    );
  }
  return found.slot;
}

function logIn({ constants, library }: Pkcs11Module, session: Handle, { tokenLabel, pin }: Pkcs11Options): void {
  try {
    library.C_Login(session, constants.CKU_USER, pin.reveal());
  } catch (error) {
    const result = resultOf(error);
    // The login belongs to the process, not to the session.
    if (result === 'CKR_USER_ALREADY_LOGGED_IN') return;
    if (!pinResults.includes(result)) throw error;
    throw new PinRefused(
      `The HSM rejected the PIN of token "${tokenLabel}" (${result}). Correct it before starting again: a few wrong attempts lock the token.`,
      error,
      'denied',
    );
  }
}
