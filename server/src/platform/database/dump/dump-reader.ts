import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { DecoderOptions } from './dump-decoder.ts';
import type { DumpContents } from './dump-contents.ts';
import type { DumpFile } from './dump-file.ts';
import type { DumpOutcome, DumpTask } from './dump-process.ts';
import type { LoadTarget } from './dump-rows.ts';

/** The process file has the same extension as this file, which is `.js` when compiled. */
const processFile = fileURLToPath(
  new URL(`./dump-process${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url),
);

/** The time within which the process must exit after it was told to, in milliseconds. */
const endMs = 5_000;

/** Reads a dump in a separate process, so that it is never parsed in a process that holds the root key. */
export class DumpReader {
  readonly #dump: DumpFile;
  readonly #options: DecoderOptions;

  constructor(dump: DumpFile, options: DecoderOptions) {
    this.#dump = dump;
    this.#options = options;
  }

  async contents(): Promise<DumpContents> {
    const outcome = await this.#run(undefined);
    return 'contents' in outcome ? outcome.contents : { migrations: undefined, months: [] };
  }

  /** Returns the names of the tables that the dump has, with or without rows. */
  async load(target: LoadTarget): Promise<readonly string[]> {
    const outcome = await this.#run(target);
    return 'loaded' in outcome ? outcome.loaded : [];
  }

  async #run(target: LoadTarget | undefined): Promise<DumpOutcome> {
    const { signal, ...options } = this.#options;
    const child = fork(processFile, [], {
      // The vault's environment is not passed to the child process, because it contains the root key and the vault's
      // address.
      env: {},
      execArgv: ['--disable-sigusr1'],
      cwd: '/',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    const stop = () => void child.kill('SIGTERM');
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    try {
      const task: DumpTask = { dump: this.#dump, options, ...(target === undefined ? {} : { target }) };
      const outcome = await new Promise<DumpOutcome>((resolve, reject) => {
        child.once('error', reject);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the vault's own child process sent it.
        child.once('message', (message) => resolve(message as DumpOutcome));
        child.once('exit', () => reject(new Error('The process that reads the dump ended unexpectedly.')));
        child.send(task);
      });
      if ('failure' in outcome) throw toError(outcome.failure);
      return outcome;
    } catch (error) {
      throw signal.aborted ? new Error('Stopped before the dump was restored.') : error;
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
      // The root key must not be opened while the process is still running.
      const impatience = setTimeout(() => void child.kill('SIGKILL'), endMs);
      await ended;
      clearTimeout(impatience);
    }
  }
}

function toError([message, ...causes]: readonly string[]): Error {
  return new Error(message, causes.length === 0 ? {} : { cause: toError(causes) });
}
