import { SeededRandom } from '../../src/core/random/seeded-random.ts';
import { drawFilters, drawQuery } from '../slowest/hostile-queries.ts';
import { listEclipsedRules } from '../slowest/hostile-rights.ts';
import type { Surroundings } from '../slowest/surroundings.ts';
import { times } from './heavy-requests.ts';
import type { PacedRequest, PacedStream } from './paced-client.ts';

const seed = 1;
const differentMax = 40;
const limitedCallers = ['limited', 'stacked', 'conditional', 'narrowed'] as const;

/**
 * What one address may send by the limits of the API for callers with as many rules and conditions as there may be: ten lists and five
 * searches a second that are as long as they may be, and the rest of its hundred requests about rights and about the widest tokens.
 */
export function listHostileStreams({ keys, tokenIds, applicationId }: Surroundings): PacedStream[] {
  const random = new SeededRandom(seed);
  const key = () => keys[random.pick(limitedCallers)];
  const post = (path: string, caller: string, body: unknown): PacedRequest => ({
    method: 'POST',
    path,
    key: caller,
    body,
  });
  const place = (index: number) => (index % 2 === 0 ? { container: '/' } : { token_id: random.pick(tokenIds) });
  const read = (index: number): PacedRequest => ({
    method: 'GET',
    path: `/tokens/${tokenIds[index]}`,
    key: keys.reveal,
  });
  const patch = (index: number): PacedRequest => ({
    method: 'PATCH',
    path: `/tokens/${tokenIds[index]}`,
    key: keys.private,
    body: { metadata: { a: String(index) } },
    contentType: 'application/merge-patch+json',
  });
  const search = () =>
    post(random.pick(['/tokens/search', '/v2/tokens/search']), key(), { query: drawQuery(random), size: 100 });
  const list = (): PacedRequest => ({
    method: 'GET',
    path: `${random.pick(['/tokens', '/v2/tokens'])}?${drawFilters(random)}`,
    key: key(),
  });
  return [
    { perSecond: 5, requests: times(differentMax, search) },
    { perSecond: 10, requests: times(differentMax, list) },
    { perSecond: 20, requests: times(2, (index) => post('/access/who', keys.management, place(index))) },
    {
      perSecond: 10,
      requests: times(2, (index) =>
        post('/access/explain', keys.management, { application_id: applicationId, ...place(index) }),
      ),
    },
    {
      // The nonce is nobody's, which is found out after the rules have been compared.
      perSecond: 15,
      requests: [post('/sessions/authorize', keys.stacked, { nonce: '2'.repeat(44), rules: listEclipsedRules() })],
    },
    { perSecond: 20, requests: tokenIds.map((_, index) => read(index)) },
    { perSecond: 20, requests: tokenIds.map((_, index) => patch(index)) },
  ];
}
