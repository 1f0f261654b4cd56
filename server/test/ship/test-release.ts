import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../../..');
const bases = (process.env['RELEASE_BASES'] ?? '').split(',').filter((name) => name !== '');

/**
 * A clone of the current commit whose version is made that of a release, with tag and changelog. The releases built from
 * it include an image if RELEASE_BASES names two base images, separated by a comma. They are signed by a key of their
 * own if cosign is installed.
 */
export class TestRelease implements AsyncDisposable {
  readonly folder: string;
  readonly clone: string;
  readonly version: string;
  readonly hasImage = bases.length === 2;
  readonly hasCosign: boolean;

  static async prepare(): Promise<TestRelease> {
    const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-release-test-'));
    const clone = path.join(folder, 'clone');
    await run('git', ['clone', '--quiet', repository, clone]);
    const { version: current } = JSON.parse(await readFile(path.join(clone, 'server/package.json'), 'utf8')) as {
      version: string;
    };
    await run('git', ['tag', `v${current}`], { cwd: clone });
    const version = current.replace(/-dev$/, '');
    await run(process.execPath, ['scripts/release/set-version.mjs', version], { cwd: clone });
    const changelog = path.join(clone, 'CHANGELOG.md');
    await writeFile(
      changelog,
      (await readFile(changelog, 'utf8')).replace('## Unreleased', `## ${version} - 2026-01-01`),
    );
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    await run('git', [...author, 'commit', '--quiet', '--all', '--message', `release ${version}`], { cwd: clone });
    await run('git', ['tag', `v${version}`], { cwd: clone });
    const hasCosign = await isInstalled('cosign');
    if (hasCosign) await run('cosign', ['generate-key-pair'], { cwd: folder, env: cosignEnvironment() });
    const release = new TestRelease({ folder, clone, version, hasCosign });
    const stateOf = (isThere: boolean) => (isThere ? 'yes' : 'left out');
    process.stdout.write(`image: ${stateOf(release.hasImage)}, signature: ${stateOf(hasCosign)}\n`);
    return release;
  }

  private constructor(parts: { folder: string; clone: string; version: string; hasCosign: boolean }) {
    this.folder = parts.folder;
    this.clone = parts.clone;
    this.version = parts.version;
    this.hasCosign = parts.hasCosign;
  }

  /** The public key of the signature, if the release is signed. */
  get publicKey(): string {
    return path.join(this.folder, 'cosign.pub');
  }

  /** Builds the release into a new folder of this name, and returns its path. */
  async build(name: string, tag = `v${this.version}`): Promise<string> {
    const output = path.join(this.folder, name);
    await mkdir(output);
    const parts = ['scripts/release/main.mjs', tag, '--output', output];
    const [build = '', runtime = ''] = bases;
    // The substitutes for the base images exist for the platform of this machine only.
    const platform = `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`;
    const image = ['--platform', platform, '--build-image', build, '--runtime-image', runtime];
    parts.push(...(this.hasImage ? image : ['--no-image']));
    if (this.hasCosign) parts.push('--cosign-key', path.join(this.folder, 'cosign.key'));
    const options = { cwd: this.clone, env: cosignEnvironment(), maxBuffer: 64 * 1024 * 1024 };
    await run(process.execPath, parts, options);
    return output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

function cosignEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, COSIGN_PASSWORD: 'only for this test' };
}

async function isInstalled(program: string): Promise<boolean> {
  return run('which', [program]).then(
    () => true,
    () => false,
  );
}
