import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { databaseTimeoutSeconds, patienceMs, requestTimeoutSeconds } from './deadline.ts';

/** The bundle of the program, if the run has made one, and otherwise its source. */
export const ownMain = process.env['PROGRAM_MAIN'] ?? path.resolve(import.meta.dirname, '../../src/main.ts');
/** Compiling the same source for every start would take longer than the tests themselves. */
const compileCache = path.resolve(import.meta.dirname, '../../../node_modules/.cache/strongroom-compile-cache');
/**
 * An alternative way to start the program, such as in a container. It receives the command as arguments and the
 * settings in its environment.
 */
const launcher = process.env['PROGRAM_LAUNCHER'];
/** True if the program under test is not the source next to this file. */
export const isLaunched = launcher !== undefined;

export interface Exit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Settings that a test may override. They take into account that there is no load balancer that must notice a stopping
 * server, and that the machine may be slow.
 */
const defaults = {
  STRONGROOM_DRAIN_DELAY_SECONDS: '0',
  STRONGROOM_DATABASE_TIMEOUT_SECONDS: String(databaseTimeoutSeconds),
  STRONGROOM_REQUEST_TIMEOUT_SECONDS: String(requestTimeoutSeconds),
};

/** The program as an operator starts it: in its own process, with nothing else in its environment. */
export class Program {
  static readonly #running = new Set<Program>();
  readonly #process: ChildProcess;
  readonly #closed: Promise<number | null>;
  readonly #listeners = new Set<() => void>();
  #stdout = '';
  #stderr = '';

  static start(
    command: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    main: string = ownMain,
  ): Program {
    return new Program(command, environment, main);
  }

  static run(
    command: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    main: string = ownMain,
  ): Promise<Exit> {
    return new Program(command, environment, main).exit();
  }

  /** Stops all programs that a failed test has left behind. */
  static async killAll(): Promise<void> {
    await Promise.all([...Program.#running].map((program) => program.stop()));
  }

  private constructor(command: readonly string[], environment: Readonly<Record<string, string>>, main: string) {
    const env = {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: compileCache,
      TMPDIR: tmpdir(),
      ...defaults,
      ...environment,
    };
    const [file, ...parameters] = launcher === undefined ? [process.execPath, main] : [launcher];
    this.#process = spawn(file, [...parameters, ...command], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
      this.#tell();
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    Program.#running.add(this);
    this.#closed = new Promise((resolve, reject) => {
      this.#process.once('error', reject);
      this.#process.once('close', (code) => {
        Program.#running.delete(this);
        resolve(code);
        this.#tell();
      });
    });
  }

  /** Returns the output up to and including the text. Throws if the program ends first or takes too long. */
  async output(text: string): Promise<string> {
    const isThere = () => this.#stdout.includes(text) || !Program.#running.has(this);
    await this.#within(
      new Promise<void>((resolve) => {
        const look = () => {
          if (isThere()) resolve();
        };
        this.#listeners.add(look);
        look();
      }),
    );
    if (!this.#stdout.includes(text)) throw new Error(`The program ended early: ${this.#stdout}${this.#stderr}`);
    return this.#stdout;
  }

  /** Returns the parsed line of JSON that reports readiness. */
  async ready<T>(): Promise<T> {
    return JSON.parse(await this.output('\n')) as T;
  }

  async exit(): Promise<Exit> {
    const code = await this.#within(this.#closed);
    return { code, stdout: this.#stdout, stderr: this.#stderr };
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    this.signal(signal);
    return this.exit();
  }

  get pid(): number {
    if (this.#process.pid === undefined) throw new Error('The program was not started.');
    return this.#process.pid;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  async #within<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`Too late: ${this.#stdout}${this.#stderr}`)), patienceMs);
    });
    return Promise.race([work, late]).finally(() => clearTimeout(timer));
  }
}

/** Returns the command lines of all processes on this machine that mention a path. */
export async function listProcessesAt(directory: string): Promise<string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(processes.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.map((line) => line.replaceAll('\0', ' ')).filter((line) => line.includes(directory));
}
