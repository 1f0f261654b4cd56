import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type Host, type HostCommand, signalAll } from './host.ts';
import { until } from './until.ts';

/** The delay of an init system before a restart. */
const restartMs = 1_000;

/**
 * A process on a machine. A fault that kills it also restarts it. If it fails by itself, it is restarted as with
 * `Restart=on-failure`.
 */
export class Service {
  readonly host: Host;
  readonly name: string;
  readonly #command: () => HostCommand;
  #child: ChildProcess | undefined;
  #isWanted = false;

  constructor(host: Host, name: string, command: () => Omit<HostCommand, 'name'>) {
    this.host = host;
    this.name = name;
    this.#command = () => ({ name, ...command() });
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  get input(): ChildProcess['stdin'] {
    return this.#child?.stdin ?? null;
  }

  /** Starts the process unless it is running. */
  async start(): Promise<void> {
    this.#isWanted = true;
    if (this.isRunning) return;
    const child = await this.host.start(this.#command());
    this.#child = child;
    child.once('exit', (code) => {
      if (code === null || code === 0) return;
      setTimeout(() => void (this.#isWanted && this.#child === child && this.start()), restartMs).unref();
    });
  }

  /** Returns the ids of this process and all its descendants. */
  async family(): Promise<number[]> {
    const root = this.#child?.pid;
    if (root === undefined || !this.isRunning) return [];
    const ids = await this.host.processes();
    const parents = new Map(await Promise.all(ids.map(async (id) => [id, await parentOf(id)] as const)));
    const isOfFamily = (id: number): boolean => id === root || (parents.has(id) && isOfFamily(parents.get(id) ?? 0));
    return ids.filter(isOfFamily);
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning && this.#child?.pid !== undefined) signalAll([this.#child.pid], signal);
  }

  async stop(signal: NodeJS.Signals, secondsMax = 60): Promise<number | null> {
    this.#isWanted = false;
    this.signal(signal);
    await until(`${this.name} on ${this.host.name} to end`, secondsMax, () => !this.isRunning);
    return this.#child?.exitCode ?? null;
  }
}

async function parentOf(id: number): Promise<number> {
  const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
  // The program name is in parentheses and may contain anything.
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}
