import { untilTrue } from '../../server/test/harness/deadline.ts';
import { thrownBy } from './thrown-by.ts';

/**
 * Repeats a call until the response is 401, and returns that error. A revoked key stops working on every server within
 * a second.
 */
export async function untilRefused(call: () => PromiseLike<unknown>): Promise<unknown> {
  let error: unknown;
  const isRefused = async () => {
    error = await thrownBy(call()).catch(() => undefined);
    const { statusCode, status = statusCode } = (error ?? {}) as { statusCode?: number; status?: number };
    return status === 401;
  };
  await untilTrue(isRefused, { waitingFor: 'a key to be refused' });
  return error;
}
