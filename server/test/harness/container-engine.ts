import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
export const repository = path.resolve(import.meta.dirname, '../../..');
/** Images and engine storage that are kept between runs. */
export const shipFolder = process.env['SHIP_FOLDER'] ?? path.join(repository, 'node_modules/.cache/strongroom-ship');
/**
 * Returns the name of the stand-in for a public image that `deploy/` uses. scripts/ship/base-images builds the
 * stand-ins.
 */
export const standIn = (name: string) => `localhost/strongroom-ship/${name}`;

/** Every limit that docs/deploy/container.md tells an operator to set. */
export const hardening = [
  '--read-only',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
  '--memory=512m',
  '--pids-limit=100',
] as const;

/** Returns why containers cannot be built and run here, or undefined if they can. */
export function reasonNotToShip(): string | undefined {
  if (process.env['SHIP'] !== 'all') return 'only with SHIP=all';
  if (process.getuid?.() !== 0) return 'building and running containers needs root here';
  if (!existsSync('/etc/debian_version') || process.arch !== 'x64')
    return 'tools and base images are made of Debian packages for x64';
  return undefined;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program until it exits and returns the outcome, even if it fails. */
export async function outcomeOf(
  file: string,
  parameters: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<Outcome> {
  try {
    return { code: 0, ...(await execute(file, parameters, { maxBuffer: 256 * 1024 * 1024, ...options })) };
  } catch (error) {
    const { code, stdout = '', stderr = String(error) } = error as { code?: unknown; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : -1, stdout, stderr };
  }
}

/** Runs a program, throws if it fails, and returns its output otherwise. */
export async function outputOf(...call: Parameters<typeof outcomeOf>): Promise<string> {
  const { code, stdout, stderr } = await outcomeOf(...call);
  if (code !== 0) throw new Error(`${call[0]} ${call[1].join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}

export interface ImageDescription {
  readonly Size: number;
  readonly RootFS: { readonly Layers: readonly string[] };
  readonly Config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Labels: Readonly<Record<string, string>>;
  };
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

interface BuildOptions {
  readonly bases: Readonly<Record<string, string>>;
  readonly context?: string;
  /** True if unchanged steps are reused from an earlier build. */
  readonly isCached?: boolean;
}

/** Podman and Buildah with their own storage. They change nothing else on this machine except cgroups. */
export class ContainerEngine {
  readonly #storage = [`--root=${shipFolder}/storage`, `--runroot=${shipFolder}/run`, '--storage-driver=overlay'];
  // Debian 12's crun does not start containers under every kernel, and systemd may be missing.
  readonly #podman = ['--runtime=runc', '--cgroup-manager=cgroupfs', ...this.#storage];

  static async prepare(): Promise<ContainerEngine> {
    await outputOf(path.join(repository, 'scripts/ship/base-images'), [shipFolder]);
    return new ContainerEngine();
  }

  async build(tag: string, file: string, options: BuildOptions): Promise<void> {
    const { context = repository, bases, isCached = false } = options;
    const given = Object.entries(bases).flatMap(([name, image]) => ['--build-arg', `${name}=${image}`]);
    // Layers are created as in an ordinary build, and every timestamp is set to zero.
    const flags = ['--isolation=chroot', '--format=docker', '--layers', '--timestamp=0', ...given];
    if (!isCached) flags.push('--no-cache');
    await outputOf('buildah', [...this.#storage, 'bud', ...flags, '-t', tag, '-f', path.join(context, file), context]);
  }

  podman(...parameters: readonly string[]): Promise<string> {
    return outputOf('podman', [...this.#podman, ...parameters]);
  }

  async inspect(image: string): Promise<ImageDescription> {
    const [description] = JSON.parse(await this.podman('image', 'inspect', image)) as ImageDescription[];
    if (description === undefined) throw new Error(`There is no image ${image}.`);
    return description;
  }

  /** Mounts an image and returns the directory with its files. */
  async mount(image: string): Promise<string> {
    return (await this.podman('image', 'mount', image)).trim();
  }

  /** Returns the flags for a container with all limits on the host network. Settings are passed on by name. */
  runFlags(settings: Readonly<Record<string, string>> = {}): string[] {
    const environment = Object.keys(settings).flatMap((name) => ['--env', name]);
    const limits = ['--ulimit=nofile=20000:20000', '--ulimit=nproc=4096:4096', ...hardening];
    // Podman's own health checks need systemd.
    return ['run', '--network=host', '--no-healthcheck', ...limits, ...environment];
  }

  /** Runs a command of the image and waits for it to finish. */
  run(image: string, command: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    const parameters = [...this.#podman, ...this.runFlags(settings), '--rm', image, ...command];
    return outcomeOf('podman', parameters, { env: { ...process.env, ...settings } });
  }

  async start(name: string, image: string, command: readonly string[], settings: Readonly<Record<string, string>>) {
    const parameters = [...this.#podman, ...this.runFlags(settings), '--detach', `--name=${name}`, image, ...command];
    await outputOf('podman', parameters, { env: { ...process.env, ...settings } });
  }

  exec(name: string, command: readonly string[]): Promise<Outcome> {
    return outcomeOf('podman', [...this.#podman, 'exec', name, ...command]);
  }

  /** Writes a script that runs a command of the image like `run`, with the settings from its environment. */
  async writeLauncher(file: string, image: string): Promise<void> {
    const quoted = ['podman', ...this.#podman, ...this.runFlags(), '--rm'].map((word) => `'${word}'`).join(' ');
    const script = `#!/usr/bin/env bash
settings=()
for name in $(compgen -e STRONGROOM_); do settings+=(--env "$name"); done
exec ${quoted} "\${settings[@]}" '${image}' "$@"
`;
    await writeFile(file, script);
    await chmod(file, 0o755);
  }

  /** Removes all containers in this storage. */
  async removeAll(): Promise<void> {
    await this.podman('rm', '--all', '--force', '--time=0');
  }
}
