import { OperatorError } from '../../core/errors/operator-error.ts';
import { createAdminEdge } from '../../http/edge/admin-edge.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { Metrics } from '../../platform/telemetry/metrics.ts';
import { listen, type ListenAddress } from './listen.ts';

/**
 * A process that failed to start in a way that must not be repeated. It only reports that it is alive and not ready,
 * because its platform would restart it if it exited, and each start costs one of the few attempts at a PIN.
 */
export class RefusedStart {
  readonly #error: OperatorError;
  readonly #close: () => Promise<void>;

  /**
   * Starts something. If the start fails in a way that must not be retried, returns a refused start, which keeps the
   * process running. Any other failure is thrown.
   */
  static async startOrStay<T>(
    start: () => Promise<T>,
    { admin, logger }: { readonly admin: ListenAddress; readonly logger: Logger },
  ): Promise<T | RefusedStart> {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof OperatorError && error.isFinal)) throw error;
      const check = { name: 'start', check: () => Promise.reject(error) };
      const edge = createAdminEdge({ metrics: new Metrics(), checks: [check] });
      // If even that fails, the process exits with the status of the refusal, so that the PIN is not tried again.
      await listen(edge, admin).catch(() => Promise.reject(error));
      logger.error('start refused', {
        error: error.message,
        advice: 'Correct the setting, then replace this process.',
      });
      return new RefusedStart(error, () => edge.close());
    }
  }

  private constructor(error: OperatorError, close: () => Promise<void>) {
    this.#error = error;
    this.#close = close;
  }

  /** Closes the port and throws the error, so that the process exits with its status. */
  async stop(): Promise<void> {
    await this.#close();
    throw this.#error;
  }
}
