import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { ownEnvironment } from './own-environment.ts';
import { runCommand } from './run-command.ts';

export interface HostCommand {
  /** The name of the process, which is also the name of its log file. */
  readonly name: string;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly input?: 'pipe';
}

/** A machine of the stage: a network namespace with one address on the shared bridge, and a folder. */
export class Host {
  readonly name: string;
  readonly address: string;
  readonly folder: string;

  static async create(parts: { name: string; address: string; folder: string; bridge: string }): Promise<Host> {
    const { name, address, folder, bridge } = parts;
    const ip = (line: string) => runCommand('ip', line.split(' '));
    await ip(`netns add ${name}`);
    await ip(`link add ${name} type veth peer name eth0 netns ${name}`);
    await ip(`link set ${name} master ${bridge} up`);
    await ip(`-n ${name} address add ${address}/24 dev eth0`);
    await ip(`-n ${name} link set eth0 up`);
    await ip(`-n ${name} link set lo up`);
    await mkdir(folder, { recursive: true });
    return new Host(name, address, folder);
  }

  private constructor(name: string, address: string, folder: string) {
    this.name = name;
    this.address = address;
    this.folder = folder;
  }

  /** Starts a process on this machine. Its output goes to its log. */
  async start({ name, input, ...started }: HostCommand): Promise<ChildProcess> {
    const log = await open(path.join(this.folder, `${name}.log`), 'a');
    const child = spawn('nsenter', this.#enter(started), {
      env: { ...ownEnvironment(), LANG: 'C.UTF-8' },
      cwd: this.folder,
      stdio: [input ?? 'ignore', log.fd, log.fd],
      detached: true,
    });
    await once(child, 'spawn');
    await log.close();
    return child;
  }

  /** Runs a command on this machine and returns its output. */
  run(command: Pick<HostCommand, 'command' | 'environment' | 'user'>): Promise<string> {
    return runCommand('nsenter', this.#enter(command));
  }

  /** Returns the ids of all processes on this machine. */
  async processes(): Promise<number[]> {
    const own = await readlink(`/proc/self/ns/net`);
    const here = (
      await runCommand('nsenter', [`--net=/run/netns/${this.name}`, 'readlink', '/proc/self/ns/net'])
    ).trim();
    if (here === own) throw new Error(`${this.name} has no network of its own.`);
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const networks = await Promise.all(ids.map((id) => readlink(`/proc/${id}/ns/net`).catch(() => '')));
    return ids.filter((_, index) => networks[index] === here).map(Number);
  }

  /** Stops the machine by killing all its processes at once. */
  async killAll(): Promise<void> {
    signalAll(await this.processes(), 'SIGKILL');
  }

  /** Builds the command line. Preloaded libraries are set only for the command, not for the programs that start it. */
  #enter({ command, environment = {}, user }: Pick<HostCommand, 'command' | 'environment' | 'user'>): string[] {
    const asUser = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups'];
    const variables = Object.entries(environment).map(([key, value]) => `${key}=${value}`);
    return [`--net=/run/netns/${this.name}`, ...asUser, 'env', ...variables, ...command];
  }

  filter(parameters: string): Promise<string> {
    const words = ['-w', ...parameters.split(' ')];
    return runCommand('nsenter', [`--net=/run/netns/${this.name}`, 'iptables', ...words]);
  }
}

/** Signals processes. Those that have already exited are ignored. */
export function signalAll(ids: readonly number[], signal: NodeJS.Signals): void {
  for (const id of ids) {
    try {
      process.kill(id, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
