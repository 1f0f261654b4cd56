import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../../../..');

/** The real helm and kubectl, which keep everything that they write in a folder of the test. */
export class KubernetesPrograms implements AsyncDisposable {
  readonly folder: string;
  readonly #programs: string;

  /** Downloads the programs if they are not there. They exist for Linux on x86-64 only. */
  static async prepare(): Promise<KubernetesPrograms> {
    const { stdout } = await run(path.join(repository, 'scripts/ship/helm-and-kubectl'));
    const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-helm-'));
    return new KubernetesPrograms(folder, stdout.trim());
  }

  static readonly exist = process.platform === 'linux' && process.arch === 'x64';

  private constructor(folder: string, programs: string) {
    this.folder = folder;
    this.#programs = programs;
  }

  /** Runs helm, and returns what it prints on both streams. */
  helm(...parts: readonly string[]): Promise<string> {
    return this.#run('helm', parts);
  }

  kubectl(...parts: readonly string[]): Promise<string> {
    return this.#run('kubectl', parts);
  }

  async #run(program: string, parts: readonly string[]): Promise<string> {
    const { PATH = '' } = process.env;
    const { stdout, stderr } = await run(path.join(this.#programs, program), [...parts], {
      cwd: this.folder,
      env: { PATH, HOME: this.folder, KUBECONFIG: path.join(this.folder, 'kubeconfig') },
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout + stderr;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
