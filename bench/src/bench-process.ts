import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));

/** A process of the product. Its first line of output reports that it is ready, with its address. */
export class BenchProcess {
  readonly announced: unknown;
  readonly #process: ChildProcess;

  /**
   * Starts a process. Its log is written as in production, but to a file, so that it does not mix with other output. The
   * program is that of this checkout, unless its main module is given.
   */
  static async start(
    command: readonly string[],
    settings: Readonly<Record<string, string>>,
    logFile: string,
    main = program,
  ): Promise<BenchProcess> {
    const log = await open(logFile, 'a');
    const child = spawn(process.execPath, [main, ...command], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', log.fd],
      // The process gets its own session, like a service. The scheduler divides processor time between sessions, and
      // PostgreSQL has its own session too.
      detached: true,
    });
    // The child process is stopped when this process exits, unless a signal kills this process.
    const end = () => child.kill('SIGTERM');
    process.once('exit', end);
    child.once('exit', () => process.removeListener('exit', end));
    const died = once(child, 'exit').then(async () => {
      throw new Error(`\`strongroom ${command[0]}\` ended before it was ready:\n${await readFile(logFile, 'utf8')}`);
    });
    if (child.stdout === null) throw new Error('A process has no output.');
    const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), died])) as [string];
    died.catch(() => undefined);
    await log.close();
    return new BenchProcess(child, JSON.parse(line));
  }

  private constructor(child: ChildProcess, announced: unknown) {
    this.#process = child;
    this.announced = announced;
  }

  /**
   * Returns the processor time used so far, in microseconds. It does not include the database, which is another
   * process.
   */
  async cpuMicroseconds(): Promise<number> {
    const tasks = `/proc/${this.#process.pid}/task`;
    // The first number is the time on a processor in nanoseconds. `stat` would only count ticks of ten milliseconds.
    const times = (await readdir(tasks)).map(async (task) => readFile(`${tasks}/${task}/schedstat`, 'utf8'));
    return (await Promise.all(times)).reduce((sum, text) => sum + Number(text.split(' ', 1)[0]), 0) / 1_000;
  }

  /** Gives way to all other processes, as if this one had a machine of its own. */
  yieldToOthers(): void {
    if (this.#process.pid !== undefined) setPriority(this.#process.pid, constants.priority.PRIORITY_LOW);
  }

  async residentBytes(): Promise<number> {
    const status = await readFile(`/proc/${this.#process.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGTERM');
    await once(this.#process, 'exit');
  }
}
