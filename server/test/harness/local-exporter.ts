import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { untilTrue } from './deadline.ts';

/** A real Prometheus exporter on a free loopback port. */
export class LocalExporter {
  /** The address as a Prometheus target. */
  readonly address: string;
  readonly #process: ChildProcess;

  static startForNode(flags: readonly string[] = []): Promise<LocalExporter> {
    return LocalExporter.#start('prometheus-node-exporter', flags, {});
  }

  static startForPostgres(url: string): Promise<LocalExporter> {
    const address = new URL(url);
    address.searchParams.set('sslmode', 'disable');
    return LocalExporter.#start('prometheus-postgres-exporter', [], { DATA_SOURCE_NAME: address.href });
  }

  static async #start(
    program: string,
    flags: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): Promise<LocalExporter> {
    const address = `127.0.0.1:${await findFreePort()}`;
    const child = spawn(program, [`--web.listen-address=${address}`, ...flags], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: 'ignore',
    });
    const failed = new Promise<never>((_, reject) => child.once('error', reject));
    failed.catch(() => undefined);
    const isReady = () =>
      fetch(`http://${address}/metrics`).then(
        ({ ok }) => ok,
        () => false,
      );
    await Promise.race([untilTrue(isReady, { waitingFor: program }), failed]);
    return new LocalExporter(address, child);
  }

  private constructor(address: string, process: ChildProcess) {
    this.address = address;
    this.#process = process;
  }

  async stop(): Promise<void> {
    const isOver = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await isOver;
  }
}
