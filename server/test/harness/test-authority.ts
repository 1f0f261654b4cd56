import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority, created with OpenSSL, that only the tests trust. */
export class TestAuthority {
  /** The certificate as PEM. */
  readonly certificate: string;
  readonly #directory: string;
  #count = 0;

  static async create(): Promise<TestAuthority> {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-ca-'));
    const [key, cert] = [path.join(directory, 'ca.key'), path.join(directory, 'ca.pem')];
    const extensions = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign'];
    await run('openssl', [
      ...newKey,
      '-x509',
      '-days',
      '2',
      '-subj',
      '/CN=Test authority',
      ...extensions,
      '-keyout',
      key,
      '-out',
      cert,
    ]);
    return new TestAuthority(directory, await readFile(cert, 'utf8'));
  }

  private constructor(directory: string, certificate: string) {
    this.#directory = directory;
    this.certificate = certificate;
  }

  /** Issues a certificate for these names. If `endsDaysAhead` is negative, it has already expired. */
  async issue(
    names: readonly string[],
    options: { readonly endsDaysAhead?: number; readonly purpose?: 'serverAuth' | 'clientAuth' } = {},
  ): Promise<TestCertificate> {
    this.#count += 1;
    const file = (suffix: string) => path.join(this.#directory, `leaf-${this.#count}.${suffix}`);
    const isClient = options.purpose === 'clientAuth';
    const alternatives = names.map((name) => (/^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(',');
    await writeFile(
      file('ext'),
      `${isClient ? '' : `subjectAltName=${alternatives}\n`}extendedKeyUsage=${options.purpose ?? 'serverAuth'}\nbasicConstraints=CA:FALSE\n`,
    );
    await run('openssl', [...newKey, '-subj', `/CN=${names[0]}`, '-keyout', file('key'), '-out', file('csr')]);
    const signer = ['-CA', path.join(this.#directory, 'ca.pem'), '-CAkey', path.join(this.#directory, 'ca.key')];
    const serial = ['-set_serial', String(Date.now() * 1_000 + this.#count)];
    const days = ['-days', String(options.endsDaysAhead ?? 2)];
    const files = ['-in', file('csr'), '-out', file('pem'), '-extfile', file('ext')];
    await run('openssl', ['x509', '-req', ...files, ...signer, ...serial, ...days]);
    return { cert: await readFile(file('pem'), 'utf8'), key: await readFile(file('key'), 'utf8') };
  }

  async remove(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }
}

const newKey = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
