import { untilTrue } from './deadline.ts';

/**
 * Asks again while the vault says that it is overloaded, as it tells its clients to: on a busy machine, a statement may meet
 * its time limit. For what can be asked twice, in a test that is about something else.
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
