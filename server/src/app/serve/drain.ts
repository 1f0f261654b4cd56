import { setTimeout as pauseFor } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { DrainConfig } from '../../platform/config/server-settings.ts';
import type { ExtraPort } from '../../platform/ingress/extra-port.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';

/**
 * The two phases of a shutdown. First the server reports unready but serves as before, so that load balancers send new
 * requests elsewhere. Then it accepts no new connections and finishes the requests in progress.
 */
export class Drain {
  readonly #config: DrainConfig;
  readonly #logger: Logger;
  #hasBegun = false;

  constructor(config: DrainConfig, logger: Logger) {
    this.#config = config;
    this.#logger = logger;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Reports unready, and resolves when load balancers have had time to notice. */
  async begin(): Promise<void> {
    const { delaySeconds } = this.#config;
    this.#hasBegun = true;
    this.#logger.info('stopping: unready, still serving', { seconds: delaySeconds });
    if (delaySeconds > 0) await pauseFor(delaySeconds * 1_000);
  }

  /**
   * Closes the server with a deadline, because a request that never ends must not keep the process alive forever. Logs
   * nothing if `begin` was not called.
   */
  async close(edge: FastifyInstance, extraPort?: ExtraPort): Promise<void> {
    const { timeoutSeconds } = this.#config;
    if (this.#hasBegun)
      this.#logger.info('draining: no new connections, finishing requests', { seconds: timeoutSeconds });
    const timer = setTimeout(() => void this.#cutOff(edge, extraPort), timeoutSeconds * 1_000);
    try {
      // Closing the extra port only stops new connections. Its existing connections are ended by closing the server.
      await Promise.all([extraPort?.close(), edge.close()]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the connections of both ports, which all belong to the server. */
  async #cutOff({ server }: FastifyInstance, extraPort: ExtraPort | undefined): Promise<void> {
    const own = new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
    const others = extraPort?.countConnections() ?? 0;
    server.closeAllConnections();
    this.#logger.warn('requests cut off', { count: (await own) + (await others) });
  }
}
