import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLimitedKey, ruleOn } from '../harness/limited-key.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../harness/token-endpoints.ts';

/*
 * Previously, a private key that may only write to one container could store an account that it knew before anybody
 * else did. A deduplicated create into another container returned that token, and the key could then put another
 * account into it.
 */
let vault: TestVault;
let tenant: TestTenant;
let owner: TokenEndpoints;
let team: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  owner = new TokenEndpoints(vault, tenant.keys.reveal);
  const rules = [ruleOn('/team/', 'mask', 'token:create', 'token:read', 'token:update')];
  team = new TokenEndpoints(vault, await makeLimitedKey(vault, tenant, { rules }));
});
afterAll(() => vault.stop());

const account = (account_number: string) => ({ routing_number: '021000021', account_number });
const create = (data: object, containers: readonly string[]) =>
  owner.create({ type: 'bank', data, containers, deduplicate_token: true });

describe('a token that a key of one container has written', () => {
  it('is not returned for a value that is stored in another container', async () => {
    const planted = await team.make({ type: 'bank', data: account('00001111111'), containers: ['/team/'] });
    const paid = await create(account('00001111111'), ['/payouts/']);
    expect(paid.status).toBe(201);
    await team.patch(planted.id, { data: account('00009999999') });
    expect(tokenOf(await owner.get(tokenOf(paid).id)).data).toEqual(account('00001111111'));
  });

  it('is not returned either if the key has only changed it', async () => {
    const { id } = await owner.make({ type: 'bank', data: account('00002222222'), containers: ['/team/'] });
    expect((await team.patch(id, { data: account('00003333333') })).status).toBe(200);
    expect((await create(account('00003333333'), ['/payouts/'])).status).toBe(201);
  });

  it('is returned for the same container', async () => {
    const { id } = await team.make({ type: 'bank', data: account('00004444444'), containers: ['/team/'] });
    expect(await create(account('00004444444'), ['/team/'])).toMatchObject({ status: 200, body: { id } });
  });
});

it('a token that a key of all containers has written is returned for any container', async () => {
  const { id } = await owner.make({ type: 'bank', data: account('00005555555'), containers: ['/elsewhere/'] });
  expect(await create(account('00005555555'), ['/payouts/'])).toMatchObject({ status: 200, body: { id } });
});
