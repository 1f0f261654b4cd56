import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  askAmiss,
  changeRights,
  manageApplication,
  manageByExample,
  managePeople,
  manageClientKeys,
  manageWebhooks,
  manageSession,
  manageTenant,
} from '../harness/seen/management-operations.ts';
import { listTokens, searchTokens } from '../harness/seen/query-operations.ts';
import { callDestination, detokenize, detokenizeWrongly, tokenize } from '../harness/seen/reference-operations.ts';
import { SeenWorld } from '../harness/seen/seen-world.ts';
import {
  createToken,
  deleteToken,
  expireToken,
  getToken,
  patchToken,
  repeatRequest,
} from '../harness/seen/token-operations.ts';

/** `npm run test:seen` runs ten thousand operations. */
const operationCount = Number(process.env['SEEN_OPERATIONS'] ?? 400);
const seed = Number(process.env['SEEN_SEED'] ?? 19);
const timeLimitMs = 120_000 + operationCount * 300;

/** The relative frequency of each operation. */
const operations: readonly (readonly [share: number, run: (world: SeenWorld) => Promise<void>])[] = [
  [20, createToken],
  [18, getToken],
  [14, patchToken],
  [5, deleteToken],
  [2, expireToken],
  [8, repeatRequest],
  [8, listTokens],
  [8, searchTokens],
  [6, tokenize],
  [8, detokenize],
  [2, detokenizeWrongly],
  [6, callDestination],
  [4, changeRights],
  [3, manageApplication],
  [3, managePeople],
  [2, manageWebhooks],
  [4, manageTenant],
  [1, manageByExample],
  [3, manageSession],
  [2, manageClientKeys],
  [1, askAmiss],
];
const shares = operations.flatMap(([share, run]) => Array.from({ length: share }, () => run));

let world: SeenWorld;
beforeAll(async () => {
  world = await SeenWorld.start(seed, 8);
}, 120_000);
afterAll(() => world.stop());

describe('the log', () => {
  it(
    `says exactly what each caller received, over ${operationCount} operations of random rights (seed ${seed})`,
    async () => {
      for (let done = 0; done < operationCount; done += 1) {
        if (done === Math.floor(operationCount / 2)) await updateDuplicates();
        await world.random.pick(shares)(world);
      }
      expect(await world.listDifferences()).toEqual([]);
    },
    timeLimitMs,
  );

  it('could lack no record and name no other transform without anybody noticing', async () => {
    expect(await world.listUnnoticed()).toEqual([]);
  }, 120_000);

  it('was asked about every way in which a token is shown, and about refusals and misses', () => {
    const wanted: readonly (readonly [route: string, ...statuses: number[]])[] = [
      ['POST /tokens', 200, 201, 403],
      ['GET /tokens/{id}', 200, 403, 404],
      ['PATCH /tokens/{id}', 200, 400, 403, 404],
      ['DELETE /tokens/{id}', 204],
      ['GET /tokens', 200],
      ['GET /v2/tokens', 200],
      ['POST /tokens/search', 200],
      ['POST /v2/tokens/search', 200],
      ['POST /tokenize', 200],
      ['POST /detokenize', 200, 400],
      ['POST /proxy', 200, 400],
      ['POST /applications', 201],
      ['PUT /applications/{id}', 200],
    ];
    const met = ([route, ...statuses]: (typeof wanted)[number]) =>
      statuses.filter((status) => world.routes.get(route)?.has(status) !== true).map((status) => `${route} ${status}`);
    expect(wanted.flatMap(met)).toEqual([]);
    expect(world.listKinds()).toEqual(
      expect.arrayContaining([
        'read success duplicate',
        'read success replay',
        'read success view',
        'search missed',
        'update failed view',
      ]),
    );
  });
});

/** Makes deduplication update existing tokens. A server learns of the changed setting shortly after the request. */
async function updateDuplicates(): Promise<void> {
  const { vault, tenant } = world.proxy;
  const settings = { token_deduplication_behavior: 'update_existing' };
  await vault.request('PUT', '/tenants/self', { key: tenant.keys.management, body: { name: 'Seen', settings } });
  await vi.waitUntil(
    async () => {
      const body = { type: 'token', data: 'plain-probe', deduplicate_token: true };
      const answer = await vault.request('POST', '/tokens', { key: tenant.keys.reveal, body });
      return 'modified_at' in (answer.body as object);
    },
    { timeout: 60_000, interval: 50 },
  );
  world.isUpdatingDuplicates = true;
}
