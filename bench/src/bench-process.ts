import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));

/** One process of the product. It says on its first line that it is ready, and where. */
export class BenchProcess {
  readonly announced: unknown;
  readonly #process: ChildProcess;

  /** What it logs is really written, as it is in production, and to a file: there it disturbs nobody. */
  static async start(
    command: readonly string[],
    settings: Readonly<Record<string, string>>,
    logFile: string,
  ): Promise<BenchProcess> {
    const log = await open(logFile, 'a');
    const child = spawn(process.execPath, [program, ...command], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', log.fd],
      // A session of its own, as a service has: the scheduler shares the machine out by session, and PostgreSQL has one.
      detached: true,
    });
    // Whatever ends this process, short of a signal, ends the other with it.
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

  /** Processor time used so far; the database is another process. */
  async cpuMicroseconds(): Promise<number> {
    const tasks = `/proc/${this.#process.pid}/task`;
    // The first number is the time on a processor in nanoseconds; stat counts ticks of ten milliseconds.
    const times = (await readdir(tasks)).map(async (task) => readFile(`${tasks}/${task}/schedstat`, 'utf8'));
    return (await Promise.all(times)).reduce((sum, text) => sum + Number(text.split(' ', 1)[0]), 0) / 1_000;
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
