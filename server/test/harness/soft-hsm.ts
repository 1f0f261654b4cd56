import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { loadPkcs11Module } from '../../src/platform/keyring/kms/pkcs11/pkcs11-module.ts';

const run = promisify(execFile);
const modulePaths = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
];

/**
 * A real PKCS#11 module with disposable tokens. There is one per process, because SoftHSM reads its configuration from
 * the environment.
 */
export class SoftHsm {
  readonly modulePath: string;
  readonly #directory: string;

  static async start(): Promise<SoftHsm> {
    const modulePath = await findModule();
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-hsm-'));
    const hsm = new SoftHsm(modulePath, directory);
    await mkdir(hsm.#tokens);
    const configuration = path.join(directory, 'softhsm2.conf');
    await writeFile(
      configuration,
      `directories.tokendir = ${hsm.#tokens}\nobjectstore.backend = file\nlog.level = ERROR\n`,
    );
    process.env['SOFTHSM2_CONF'] = configuration;
    await hsm.#finalize();
    return hsm;
  }

  private constructor(modulePath: string, directory: string) {
    this.modulePath = modulePath;
    this.#directory = directory;
  }

  async addToken(label: string, pin: string): Promise<void> {
    await run('softhsm2-util', ['--init-token', '--free', '--label', label, '--pin', pin, '--so-pin', `so-${pin}`]);
  }

  /** Removes every token while `work` runs, as if the cable had been unplugged. */
  async whileAway(work: () => Promise<void>): Promise<void> {
    await this.unplug();
    try {
      await work();
    } finally {
      await this.plugIn();
    }
  }

  async unplug(): Promise<void> {
    await rename(this.#tokens, `${this.#tokens}-away`);
    await mkdir(this.#tokens);
  }

  async plugIn(): Promise<void> {
    await rm(this.#tokens, { recursive: true });
    await rename(`${this.#tokens}-away`, this.#tokens);
  }

  async remove(): Promise<void> {
    await this.#finalize();
    delete process.env['SOFTHSM2_CONF'];
    await rm(this.#directory, { recursive: true, force: true });
  }

  /**
   * Finalizes the library, which reads its configuration on initialisation. Another test file of this
   * process may have initialised it.
   */
  async #finalize(): Promise<void> {
    const { library } = await loadPkcs11Module(this.modulePath);
    library.C_Finalize();
  }

  get #tokens(): string {
    return path.join(this.#directory, 'tokens');
  }
}

async function findModule(): Promise<string> {
  for (const candidate of modulePaths) {
    const isThere = await access(candidate).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  throw new Error('SoftHSM 2 was not found on this machine. Install it (Debian: apt-get install softhsm2).');
}
