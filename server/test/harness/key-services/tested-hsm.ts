import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Attribute } from 'pkcs11js';
import { Sensitive } from '../../../src/core/identity/sensitive.ts';
import { createPkcs11Key } from '../../../src/platform/keyring/kms/pkcs11/pkcs11-key.ts';
import { loadPkcs11Module, type Pkcs11Module } from '../../../src/platform/keyring/kms/pkcs11/pkcs11-module.ts';
import { Pkcs11RootKey } from '../../../src/platform/keyring/kms/pkcs11/pkcs11-root-key.ts';
import type { Pkcs11Options } from '../../../src/platform/keyring/kms/pkcs11/pkcs11-session.ts';
import { SoftHsm } from '../soft-hsm.ts';
import type { TestedKeyService } from './tested-key-service.ts';
import { context } from './wrap-contexts.ts';

const run = promisify(execFile);
const [pin, otherPin] = ['12345678', '87654321'];

/** SoftHSM 2, which is real, behind a module that can be made to wait. */
export class TestedHsm implements TestedKeyService {
  readonly #hsm: SoftHsm;
  readonly #folder: string;
  readonly #options: Pkcs11Options;
  readonly #module: Pkcs11Module;
  readonly #opened: Pkcs11RootKey[] = [];
  #recover: () => void | Promise<void> = () => undefined;
  readonly secrets = [pin];

  static async start(): Promise<TestedHsm> {
    const hsm = await SoftHsm.start();
    await hsm.addToken('vault', pin);
    const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-slow-hsm-'));
    const modulePath = path.join(folder, 'slow-pkcs11.so');
    const source = path.join(import.meta.dirname, 'slow-pkcs11.c');
    await run('gcc', ['-shared', '-fPIC', '-O1', '-o', modulePath, source, '-ldl']);
    process.env['STRONGROOM_TEST_MODULE'] = hsm.modulePath;
    process.env['STRONGROOM_TEST_SLOW'] = path.join(folder, 'slow');
    const options = { modulePath, tokenLabel: 'vault', pin: new Sensitive(pin), keyLabel: 'root' };
    await createPkcs11Key(options);
    await createPkcs11Key({ ...options, keyLabel: 'other' });
    return new TestedHsm(hsm, folder, options, await loadPkcs11Module(modulePath));
  }

  private constructor(hsm: SoftHsm, folder: string, options: Pkcs11Options, module: Pkcs11Module) {
    this.#hsm = hsm;
    this.#folder = folder;
    this.#options = options;
    this.#module = module;
  }

  open(): Promise<Pkcs11RootKey> {
    return this.#open({});
  }

  openOther(): Promise<Pkcs11RootKey> {
    return this.#open({ keyLabel: 'other' });
  }

  readonly troubles = {
    disabled: () => {
      const { CKA_ENCRYPT, CKA_DECRYPT } = this.#module.constants;
      const allow = (value: boolean) =>
        this.#change('root', [
          { type: CKA_ENCRYPT, value },
          { type: CKA_DECRYPT, value },
        ]);
      allow(false);
      this.#recover = () => allow(true);
    },
    denied: async () => {
      this.#asUser(pin, (session) => this.#module.library.C_SetPIN(session, pin, otherPin));
      this.#recover = () => this.#asUser(otherPin, (session) => this.#module.library.C_SetPIN(session, otherPin, pin));
      await this.#loseSessions();
    },
    gone: async () => {
      const { CKA_LABEL } = this.#module.constants;
      this.#change('root', [{ type: CKA_LABEL, value: 'renamed' }]);
      this.#recover = () => this.#change('renamed', [{ type: CKA_LABEL, value: 'root' }]);
      await this.#loseSessions();
    },
    throttled: 'An HSM has no quota.',
    slow: async () => {
      const file = path.join(this.#folder, 'slow');
      await writeFile(file, '');
      this.#recover = () => rm(file);
    },
    unreachable: async () => {
      await this.#hsm.unplug();
      this.#module.library.C_Finalize();
      this.#recover = async () => {
        await this.#hsm.plugIn();
        this.#module.library.C_Finalize();
      };
    },
  };

  readonly rotate = 'Another key is another root key, which STRONGROOM_PREVIOUS_PKCS11_KEY is for.';

  async recover(): Promise<void> {
    await this.#recover();
    this.#recover = () => undefined;
  }

  async stop(): Promise<void> {
    await this.#hsm.remove();
    delete process.env['STRONGROOM_TEST_MODULE'];
    delete process.env['STRONGROOM_TEST_SLOW'];
    await rm(this.#folder, { recursive: true });
  }

  async #open(changed: Partial<Pkcs11Options>): Promise<Pkcs11RootKey> {
    const opened = await Pkcs11RootKey.open({ ...this.#options, ...changed });
    this.#opened.push(opened);
    return opened;
  }

  /** Ends all sessions. Each root key notices that with its next call, and connects again for the one after it. */
  async #loseSessions(): Promise<void> {
    const { library } = this.#module;
    for (const slot of library.C_GetSlotList(true)) library.C_CloseAllSessions(slot);
    for (const key of this.#opened) await key.wrap(Buffer.alloc(32), context).catch(() => undefined);
  }

  #change(label: string, attributes: Attribute[]): void {
    const { library, constants } = this.#module;
    this.#asUser(pin, (session) => {
      library.C_FindObjectsInit(session, [{ type: constants.CKA_LABEL, value: label }]);
      for (const key of library.C_FindObjects(session, 1)) library.C_SetAttributeValue(session, key, attributes);
      library.C_FindObjectsFinal(session);
    });
  }

  /** Works in a session of its own, in which the user can write. The login belongs to all sessions of the process. */
  #asUser(userPin: string, work: (session: Buffer) => void): void {
    const { library, constants } = this.#module;
    const [slot] = library
      .C_GetSlotList(true)
      .filter((candidate) => library.C_GetTokenInfo(candidate).label.startsWith('vault '));
    if (slot === undefined) throw new Error('The token is missing.');
    const session = library.C_OpenSession(slot, constants.CKF_SERIAL_SESSION | constants.CKF_RW_SESSION);
    try {
      library.C_Login(session, constants.CKU_USER, userPin);
    } catch {
      // The root key is logged in, so this session is too.
    }
    work(session);
    library.C_CloseSession(session);
  }
}
