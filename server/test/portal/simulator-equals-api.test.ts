import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { welcome } from '../harness/portal-people.ts';
import type { PortalVisitor } from '../harness/portal-visitor.ts';
import { ProxyVault } from '../harness/proxy-vault.ts';
import { containers, randomRights } from '../harness/seen/random-rights.ts';
import { SeededRandom } from '../harness/seen/seeded-random.ts';
import { type ShownToken, viewsOf } from '../harness/seen/shown-view.ts';
import { createApplication } from '../harness/test-application.ts';
import type { TestResponse, TestRequest } from '../harness/test-vault.ts';
import { untilServed } from '../harness/until-served.ts';

interface Decision {
  readonly permission: string;
  readonly is_allowed: boolean;
  readonly transform?: string;
  readonly authors_views?: boolean;
}

interface Pair {
  readonly key: string;
  readonly tokenId: string;
  readonly places: readonly string[];
}

const applicationCount = 100;
const tokensEach = 10;
/**
 * The number of applications that are tried at the same time. Each has its own tokens, so they do not interfere. The
 * requests about one application are sent together.
 */
const lanes = 4;
const seed = 21;
const denied = 'denied';
const mergePatch = { 'content-type': 'application/merge-patch+json' };

let proxy: ProxyVault;
let member: PortalVisitor;
beforeAll(async () => {
  proxy = await ProxyVault.start();
  ({ visitor: member } = await welcome(proxy.vault, proxy.tenant));
});
afterAll(() => proxy.stop());

/** Explains rights that nobody has yet, as the portal does. */
async function explain(rights: object, tokenId: string): Promise<Decision[]> {
  const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const body = JSON.stringify({ ...rights, token_id: tokenId });
  const { status, text } = await untilServed(() => member.send('POST', '/portal/api/access/explain', headers, body));
  expect(status, text).toBe(200);
  return (JSON.parse(text) as { decisions: Decision[] }).decisions;
}

const send = (key: string, method: string, path: string, request: TestRequest = {}) =>
  untilServed(() => proxy.vault.request(method, path, { key, ...request }));

/** Returns how a response shows a token, or that it was denied. */
function shownBy({ status, body, text }: TestResponse): string {
  if (status === 403) return denied;
  expect([200, 201], text).toContain(status);
  return viewsOf(body as ShownToken)[0] ?? '';
}

/** Returns whether a request that shows no token was allowed. */
function allowedBy({ status, text }: TestResponse): boolean {
  expect([200, 204, 403], text).toContain(status);
  return status !== 403;
}

/** Returns how a search for a batch shows each token. Tokens that were not found are missing from the result. */
async function search(key: string, batch: string): Promise<ReadonlyMap<string, string>> {
  const body = { query: `metadata.batch:${batch}`, size: tokensEach };
  const { status, body: page, text } = await send(key, 'POST', '/tokens/search', { body });
  if (status === 403) return new Map();
  expect(status, text).toBe(200);
  const { data } = page as { data: ShownToken[] };
  return new Map(data.map((token) => [token.id, viewsOf(token)[0] ?? '']));
}

const patch = ({ key, tokenId }: Pair, body: object) =>
  send(key, 'PATCH', `/tokens/${tokenId}`, { body, headers: mergePatch });

type Trial = (pair: Pair, decided: ReadonlyMap<string, Decision>) => Promise<[unknown, unknown]>;

/** Trials that run for only some of the pairs, because they change the token or take longer. */
const trials: readonly Trial[] = [
  async (pair, decided) => [
    toOutcome(decided.get('token:update')),
    shownBy(await patch(pair, { metadata: { order: '1' } })),
  ],
  async (pair, decided) => [
    decided.get('token:update')?.authors_views === true,
    allowedBy(await patch(pair, { mask: '{{ data | reveal_last: 2 }}' })),
  ],
  async ({ key, tokenId }, decided) => {
    const body = JSON.stringify({ value: `{{ ${tokenId} }}` });
    return [decided.get('token:use')?.is_allowed, allowedBy(await untilServed(() => proxy.call({ key, body })))];
  },
  async (pair, decided) => [
    decided.get('token:delete')?.is_allowed,
    allowedBy(await send(pair.key, 'DELETE', `/tokens/${pair.tokenId}`)),
  ],
  async (pair, decided) => {
    const body = { type: 'token', data: 'plain-new', mask: '{{ data | reveal_last: 1 }}', containers: pair.places };
    // Writing a token to several containers requires a grant for each of them, but the explanation is about an existing
    // token.
    if (pair.places.length > 1) return [true, true];
    return [toOutcome(decided.get('token:create')), shownBy(await send(pair.key, 'POST', '/tokens', { body }))];
  },
];

function toOutcome(decision: Decision | undefined): string | undefined {
  return decision?.is_allowed === true ? decision.transform : denied;
}

describe('the simulator', () => {
  it(`decides as the API does, for ${applicationCount * tokensEach} random pairs of rights and tokens`, async () => {
    const random = new SeededRandom(seed);
    const wrong: unknown[] = [];
    const outcomes = new Map<string, number>();
    let pairs = 0;
    const tryApplication = async (rights: ReturnType<typeof randomRights>, allPlaces: readonly string[][]) => {
      const { id, key } = await createApplication(proxy.vault, proxy.tenant, rights);
      const tokenIds = await createTokens(allPlaces, id);
      const searched = await search(key, id);
      const tryPair = async (places: readonly string[], tokenId: string, trial: Trial | undefined) => {
        const [decisions, read] = await Promise.all([
          explain({ permissions: rights.permissions, rules: rights.rules }, tokenId),
          send(key, 'GET', `/tokens/${tokenId}`),
        ]);
        const decided = new Map(decisions.map((decision) => [decision.permission, decision]));
        const found: [unknown, unknown][] = [
          [toOutcome(decided.get('token:read')), shownBy(read)],
          [toOutcome(decided.get('token:search')), searched.get(tokenId) ?? denied],
        ];
        if (trial !== undefined) found.push(await trial({ key, tokenId, places }, decided));
        for (const [said, done] of found) {
          outcomes.set(String(done), (outcomes.get(String(done)) ?? 0) + 1);
          if (said !== done) wrong.push({ id, rights, places, decisions, found });
        }
        pairs += 1;
      };
      await Promise.all(
        allPlaces.map((places, index) => tryPair(places, tokenIds[index] ?? '', trials[index % trials.length])),
      );
    };
    const work = Array.from({ length: applicationCount }, () => ({
      rights: randomRights(random),
      allPlaces: Array.from({ length: tokensEach }, () => somePlaces(random)),
    }));
    const runLane = async () => {
      // If one lane fails, the others stop.
      for (let next = work.pop(); next !== undefined; next = work.pop()) {
        await tryApplication(next.rights, next.allPlaces).catch((error: unknown) => {
          work.length = 0;
          throw error;
        });
      }
    };
    await Promise.all(Array.from({ length: lanes }, runLane));
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(pairs).toBe(applicationCount * tokensEach);
    // Every outcome must occur often, otherwise nothing was compared.
    for (const outcome of ['reveal', 'mask', 'redact', denied, 'true', 'false'])
      expect([outcome, (outcomes.get(outcome) ?? 0) > 30]).toEqual([outcome, true]);
  });

  it('says of a saved application what it says of the same rights as a draft', async () => {
    const random = new SeededRandom(seed + 1);
    for (let round = 0; round < 20; round += 1) {
      const { permissions, rules, ...rest } = randomRights(random);
      const { id } = await createApplication(proxy.vault, proxy.tenant, { ...rest, permissions, rules });
      const [tokenId = ''] = await createTokens([somePlaces(random)], id);
      const asDraft = await explain({ permissions, rules }, tokenId);
      expect(await explain({ application_id: id }, tokenId)).toEqual(asDraft);
    }
  });
});

function somePlaces(random: SeededRandom): string[] {
  const places = random.some(containers, 0.4);
  return places.length === 0 ? [random.pick(containers)] : places;
}

/** Stores a token for each list of containers in one request. */
async function createTokens(allPlaces: readonly (readonly string[])[], batch: string): Promise<string[]> {
  const body = allPlaces.map((places) => ({
    type: 'token',
    data: 'plain-value',
    mask: '{{ data | reveal_last: 1 }}',
    containers: places,
    metadata: { batch },
  }));
  const { status, body: made, text } = await send(proxy.tenant.keys.reveal, 'POST', '/tokenize', { body });
  expect(status, text).toBe(200);
  return (made as { id: string }[]).map(({ id }) => id);
}
