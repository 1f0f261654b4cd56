import { codeOf } from '../../core/errors/thrown.ts';
import { PortTaken } from '../serve/listen.ts';

const attemptsMax = 5;

/**
 * Repeats an attempt that chooses free ports and listens on them seconds later, as long as another process has taken one
 * of them in the meantime. A port cannot be kept until then, because addresses that name it are built first. `wanted` is
 * the port that the user asked for, which no other can replace.
 */
export async function untilPortsAreFree<T>(attempt: () => Promise<T>, wanted?: number): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isTaken = error instanceof PortTaken ? error.port !== wanted : codeOf(error) === 'EADDRINUSE';
      if (!isTaken || attempts === attemptsMax) throw error;
    }
  }
}
