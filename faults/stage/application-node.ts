import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Host } from './host.ts';
import type { MachineFaults } from './machine-faults.ts';
import { outsideAddress } from './network.ts';
import { ports } from './ports.ts';
import type { LineState } from './relay.ts';
import type { LineOrder } from './relay-process.ts';
import { Service } from './service.ts';

const recipe = path.resolve(import.meta.dirname, '../../deploy/high-availability/haproxy.cfg');
const compileCache = path.resolve(import.meta.dirname, '../../node_modules/.cache/strongroom-compile-cache');

export type LineName = 'database' | 'redis' | 'mail' | 'keys';

/** A machine of the vault with a server, a worker, and the HAProxy that finds the primary for them. */
export class ApplicationNode {
  readonly host: Host;
  readonly faults: MachineFaults;
  readonly haproxy: Service;
  readonly relay: Service;
  readonly server: Service;
  readonly worker: Service;
  /** The entry point from which the server and the worker are started. */
  main: string;
  readonly #settings: Readonly<Record<string, string>>;

  static async create(
    host: Host,
    faults: MachineFaults,
    program: { readonly main: string; readonly settings: Readonly<Record<string, string>> },
  ): Promise<ApplicationNode> {
    const node = new ApplicationNode(host, faults, program);
    // The suite puts a relay between the vault and HAProxy, so that the connection can be broken.
    const configuration = await readFile(recipe, 'utf8');
    await writeFile(
      path.join(host.folder, 'haproxy.cfg'),
      configuration.replace('bind 127.0.0.1:5432', `bind 127.0.0.1:${ports.balancer}`),
    );
    return node;
  }

  private constructor(
    host: Host,
    faults: MachineFaults,
    program: { readonly main: string; readonly settings: Readonly<Record<string, string>> },
  ) {
    this.host = host;
    this.faults = faults;
    this.main = program.main;
    this.#settings = program.settings;
    this.haproxy = new Service(host, 'haproxy', () => ({ command: ['haproxy', '-db', '-f', 'haproxy.cfg'] }));
    const lines = [
      `database=${ports.database}:127.0.0.1:${ports.balancer}`,
      `redis=${ports.redis}:${outsideAddress}:${ports.redis}`,
      `mail=${ports.mail}:${outsideAddress}:${ports.mail}`,
      `keys=${ports.keys}:${outsideAddress}:${ports.keys}`,
    ];
    this.relay = new Service(host, 'relay', () => ({
      command: [process.execPath, path.join(import.meta.dirname, 'relay-process.ts'), ...lines],
      input: 'pipe',
    }));
    this.server = new Service(host, 'server', () => this.command(['serve', '--json']));
    this.worker = new Service(host, 'worker', () => this.command(['work', '--json']));
  }

  /** Returns a vault command as an operator would run it on this machine. */
  command(words: readonly string[]): { command: string[]; environment: Record<string, string> } {
    return {
      command: [process.execPath, this.main, ...words],
      environment: { ...this.#settings, ...this.faults.environment, NODE_COMPILE_CACHE: compileCache },
    };
  }

  /** Runs a vault command and returns its output. */
  run(words: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<string> {
    const { command, environment } = this.command(words);
    return this.host.run({ command, environment: { ...environment, ...settings } });
  }

  async startGround(): Promise<void> {
    await this.haproxy.start();
    await this.relay.start();
  }

  async start(): Promise<void> {
    await this.startGround();
    await Promise.all([this.server.start(), this.worker.start()]);
  }

  setLine(line: LineName, state: LineState): void {
    const order: LineOrder = { line, state };
    this.relay.input?.write(`${JSON.stringify(order)}\n`);
  }

  isServerReady(): Promise<boolean> {
    return this.#isReady(ports.serverAdmin);
  }

  isWorkerReady(): Promise<boolean> {
    return this.#isReady(ports.workerAdmin);
  }

  async #isReady(port: number): Promise<boolean> {
    const url = `http://${this.host.address}:${port}/readyz`;
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    return response?.status === 200;
  }
}
