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
