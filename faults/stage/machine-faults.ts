import { open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Host } from './host.ts';
import { runCommand } from './run-command.ts';

/**
 * Compiles the library that is preloaded into the programs of a machine, and returns its path. libfaketime is not used
 * because it also replaces the sleep functions, and Patroni then no longer sleeps.
 */
export async function buildMachineFaults(folder: string): Promise<string> {
  const library = path.join(folder, 'machine-faults.so');
  const source = path.join(import.meta.dirname, 'machine-faults.c');
  await runCommand('gcc', ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', library, source]);
  return library;
}

/**
 * Controls the clock of one machine, and whether fsync works there. It affects programs that use the C library. etcd is
 * written in Go and is not affected, but it uses a monotonic clock anyway.
 */
export class MachineFaults {
  readonly #file: string;
  readonly #library: string;
  secondsAhead = 0;
  #fsyncFails = false;

  static async create(host: Host, library: string): Promise<MachineFaults> {
    const faults = new MachineFaults(path.join(host.folder, 'faults'), library);
    await writeFile(faults.#file, Buffer.alloc(16), { mode: 0o644 });
    return faults;
  }

  private constructor(file: string, library: string) {
    this.#file = file;
    this.#library = library;
  }

  /** The environment variables that a program needs. */
  get environment(): Record<string, string> {
    return { LD_PRELOAD: this.#library, MACHINE_FAULTS: this.#file };
  }

  /** Sets the clock. A positive number puts it ahead of real time. */
  async setClock(secondsAhead: number): Promise<void> {
    this.secondsAhead = secondsAhead;
    await this.#write();
  }

  async setFsyncFails(fails: boolean): Promise<void> {
    this.#fsyncFails = fails;
    await this.#write();
  }

  /** Writes the file in place, because it is mapped into the memory of every process. */
  async #write(): Promise<void> {
    const bytes = Buffer.alloc(16);
    bytes.writeBigInt64LE(BigInt(this.secondsAhead), 0);
    bytes.writeBigInt64LE(this.#fsyncFails ? 1n : 0n, 8);
    const file = await open(this.#file, 'r+');
    try {
      await file.write(bytes, 0, bytes.length, 0);
    } finally {
      await file.close();
    }
  }
}
