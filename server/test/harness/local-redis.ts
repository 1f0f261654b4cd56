import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';

/** A real Redis on a free loopback port that stores nothing on disk. */
export class LocalRedis {
  readonly url: string;
  readonly #server: ChildProcess;
  readonly #directory: string;

  /** Starts a Redis. If it is given the port of a stopped one, it looks like the same Redis after a restart. */
  static async start(port?: number): Promise<LocalRedis> {
    const directory = await mkdtemp(path.join(tmpdir(), 'strongroom-redis-'));
    port ??= await findFreePort();
    const flags = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      directory,
    ];
    const server = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'ignore'] });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.once('exit', () => reject(new Error('Redis stopped while starting. Is redis-server installed?')));
      server.stdout.on('data', (chunk: Buffer) => {
        if (chunk.includes('Ready to accept connections')) resolve();
      });
    });
    return new LocalRedis(`redis://127.0.0.1:${port}`, server, directory);
  }

  private constructor(url: string, server: ChildProcess, directory: string) {
    this.url = url;
    this.#server = server;
    this.#directory = directory;
  }

  /** Stops responding without closing connections, like a machine that hangs. */
  pause(): void {
    this.#server.kill('SIGSTOP');
  }

  resume(): void {
    this.#server.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    // A paused process does not receive the signal to terminate.
    this.resume();
    if (this.#server.exitCode === null) {
      this.#server.kill('SIGTERM');
      await once(this.#server, 'exit');
    }
    await rm(this.#directory, { recursive: true, force: true });
  }
}
