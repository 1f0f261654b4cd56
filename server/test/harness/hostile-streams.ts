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
 * Returns the traffic that the API's limits allow one address whose callers have the maximum number of rules and
 * conditions. It sends ten lists and five searches of maximum length per second. The remaining requests, up to a
 * hundred, concern rights and the widest tokens.
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
      // No session has this nonce, but the vault compares the rules before it looks up the session.
      perSecond: 15,
      requests: [post('/sessions/authorize', keys.stacked, { nonce: '2'.repeat(44), rules: listEclipsedRules() })],
    },
    { perSecond: 20, requests: tokenIds.map((_, index) => read(index)) },
    { perSecond: 20, requests: tokenIds.map((_, index) => patch(index)) },
  ];
}
