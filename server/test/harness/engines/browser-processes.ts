import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { patienceMs } from '../deadline.ts';

/** A display in memory and the programs that draw on it. */
export class BrowserProcesses {
  readonly #started: ChildProcess[] = [];
  #display = '';

  /** Starts an X server, which chooses a number that is free and prints it. */
  async startDisplay(): Promise<void> {
    const screen = ['-screen', '0', '1400x1000x24', '-nolisten', 'tcp'];
    const server = spawn('Xvfb', ['-displayfd', '1', ...screen], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#started.push(server);
    const [number] = await once(server.stdout, 'data', { signal: AbortSignal.timeout(patienceMs) });
    this.#display = `:${String(number).trim()}`;
  }

  start(program: string, parameters: readonly string[]): void {
    const env = { ...process.env, DISPLAY: this.#display };
    this.#started.push(spawn(program, parameters, { env, stdio: 'ignore' }));
  }

  /** Ends the programs, the latest first. */
  stop(): void {
    for (const program of this.#started.toReversed()) program.kill();
  }
}
