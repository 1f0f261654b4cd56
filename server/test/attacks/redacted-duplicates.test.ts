import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLimitedKey, ruleOn } from '../harness/limited-key.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { TokenEndpoints } from '../harness/token-endpoints.ts';

/* Previously, a patch with `deduplicate_token` told a caller whether a redacted token equals one of its guesses. */
let vault: TestVault;
let tenant: TestTenant;
let owner: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  owner = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

describe.each(['private', 'public'] as const)('a %s key under redact', (type) => {
  const makeKey = () =>
    makeLimitedKey(vault, tenant, { type, rules: [ruleOn('/', 'redact', 'token:create', 'token:update')] });

  it.each([true, false])('learns nothing from a patch about a token whose content was guessed: %s', async (isRight) => {
    const redacted = new TokenEndpoints(vault, await makeKey());
    const { id } = await owner.make({ data: `${type} 7 ${isRight}` });
    await redacted.make({ data: isRight ? `${type} 7 true` : 'another' });
    const answer = await redacted.patch(id, { metadata: { tried: 'once' }, deduplicate_token: true });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('what a redacted token holds');
  });

  it('is not given an existing token for a guess', async () => {
    const key = await makeKey();
    await owner.make({ data: `${type} 8` });
    const body = { type: 'token', data: `${type} 8`, deduplicate_token: true };
    expect((await vault.request('POST', '/tokens', { key, body })).status).toBe(403);
  });
});

/*
 * Previously, only the rule for creating was checked. A caller for whom reads are redacted got the redacted token if it
 * created masked ones, in the same container or in another.
 */
describe.each(['return_existing', 'update_existing'])('a key that creates masked tokens, with %s', (behavior) => {
  let own: TestTenant;
  beforeAll(async () => {
    own = await vault.makeTenant();
    const settings = { token_deduplication_behavior: behavior, deduplicate_tokens: 'true' };
    const body = { name: 'Own', settings };
    await vault.request('PUT', '/tenants/self', { key: own.keys.management, body });
  });

  it.each(['/secret/', '/mine/'])('is given no token if reading redacts some, from %s', async (container) => {
    const rules = [
      ruleOn('/secret/', 'redact', 'token:read', 'token:update'),
      ruleOn('/', 'mask', 'token:create', 'token:read', 'token:update'),
    ];
    const key = await makeLimitedKey(vault, own, { rules });
    const data = `of the owner, for ${container}`;
    await owner.make({ data, containers: ['/secret/'] }, { key: own.keys.reveal });
    const guess = async (text: string, deduplicates: boolean) => {
      const asked = deduplicates ? { deduplicate_token: true } : {};
      const body = { type: 'token', data: text, containers: [container], ...asked };
      return (await vault.request('POST', '/tokens', { key, body })).status;
    };
    expect([await guess(data, true), await guess(`not ${data}`, true)]).toEqual([403, 403]);
    // The second create of a guess must not differ either. It could find the token that the first one created.
    const right = [await guess(data, false), await guess(data, false)];
    const wrong = [await guess(`not ${data}`, false), await guess(`not ${data}`, false)];
    expect([...right, ...wrong]).toEqual([201, 201, 201, 201]);
  });

  it('is given the token that it sees masked', async () => {
    const key = await makeLimitedKey(vault, own, {
      rules: [ruleOn('/', 'mask', 'token:create', 'token:read', 'token:update')],
    });
    const { id } = await owner.make({ data: 'seen' }, { key: own.keys.reveal });
    const again = await owner.create({ type: 'token', data: 'seen', deduplicate_token: true }, { key });
    expect(again).toMatchObject({ status: 200, body: { id } });
  });
});
