import { untilTrue } from './deadline.ts';

/**
 * Retries while the vault reports that it is overloaded, as clients are told to. On a busy machine, a statement may
 * reach its timeout. Use it for requests that can be repeated, in tests that are not about overload.
 */
export async function untilServed<T extends { readonly status: number }>(ask: () => Promise<T>): Promise<T> {
  let answer = await ask();
  await untilTrue(
    async () => {
      if (answer.status !== 503) return true;
      answer = await ask();
      return false;
    },
    { waitingFor: 'a vault that is not overloaded' },
  );
  return answer;
}
