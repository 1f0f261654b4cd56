import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type LimitedRights,
  type LimitedRule,
  makeLimitedKey,
  makeSessionKey,
  ruleOn,
} from '../harness/limited-key.ts';
import { recordsOf } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../harness/token-endpoints.ts';

let vault: TestVault;
let tenant: TestTenant;
let owner: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  owner = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(() => vault.stop());

const secret = 'the secret of the restricted container';
const make = (containers: readonly string[]) => owner.make({ data: secret, mask: 'hidden', containers });
const onlyOpen = [ruleOn('/open/', 'mask', 'token:update')];

/** The token is redacted in the restricted container and revealed elsewhere. These three rules could be escaped. */
const threeRules = [
  ruleOn('/restricted/', 'redact', 'token:read'),
  ruleOn('/open/', 'mask', 'token:update'),
  ruleOn('/', 'reveal', 'token:read'),
];
const conditionOn = (operator: string, value: string, transform = 'mask'): LimitedRule => ({
  conditions: [{ attribute: 'container', operator, value }],
  transform,
  permissions: ['token:update'],
});
const everything = { has: { rules: [ruleOn('/', 'reveal', 'token:update', 'token:read')] } };

const keys: Record<string, () => Promise<string>> = {
  'a private key with three rules': () => makeLimitedKey(vault, tenant, { rules: threeRules }),
  'a private key that updates in /open/': () => makeLimitedKey(vault, tenant, { rules: onlyOpen }),
  'a private key that may create and delete in /restricted/': () =>
    makeLimitedKey(vault, tenant, {
      rules: [...onlyOpen, ruleOn('/restricted/', 'mask', 'token:create', 'token:delete', 'token:read')],
    }),
  'a public key that updates in /open/': () => makeLimitedKey(vault, tenant, { type: 'public', rules: onlyOpen }),
  'a session that updates in /open/': () => makeSessionKey(vault, tenant, { rules: onlyOpen }, everything),
  'a session on what is exactly in /open/': () =>
    makeSessionKey(vault, tenant, { rules: [conditionOn('equals', '/open/', 'reveal')] }, everything),
  'a session on what begins with /op': () =>
    makeSessionKey(vault, tenant, { rules: [conditionOn('starts_with', '/op', 'reveal')] }, everything),
  'a session that may update everywhere, of an authorizer that now updates in /open/': () => {
    const rules = [ruleOn('/', 'reveal', 'token:update')];
    return makeSessionKey(vault, tenant, { rules }, { ...everything, isLeftWith: { rules: onlyOpen } });
  },
};

describe.each(Object.keys(keys))('%s', (name) => {
  it.each<[string, readonly string[], object]>([
    ['the only other container', ['/restricted/', '/open/'], { containers: ['/open/'] }],
    ['the first of three', ['/restricted/', '/open/', '/third/'], { containers: ['/open/', '/third/'] }],
    ['the last of three', ['/open/', '/open/a/', '/restricted/'], { containers: ['/open/', '/open/a/'] }],
    ['one below it', ['/restricted/high/', '/open/'], { containers: ['/open/'] }],
    ['one, for another spelling of the one that stays', ['/restricted/', '/open/'], { containers: ['/OPEN/'] }],
    ['one, and enters one', ['/restricted/', '/open/'], { containers: ['/open/', '/open/new/'] }],
    ['one, for one below it', ['/restricted/', '/open/'], { containers: ['/open/', '/restricted/low/'] }],
    ['one, with other changes beside', ['/restricted/', '/open/'], { containers: ['/open/'], metadata: { a: 'b' } }],
    ['one, with all of the data replaced', ['/restricted/', '/open/'], { containers: ['/open/'], data: 'new' }],
    ['all, for those of the type', ['/restricted/', '/open/'], { containers: null }],
  ])('cannot take a token out of /restricted/: %s', async (_name, containers, patch) => {
    const { id } = await make(containers);
    const caller = new TokenEndpoints(vault, await (keys[name] ?? missing)());
    const answer = await caller.patch(id, patch);
    expect(answer.status).toBe(403);
    expect((answer.body as { detail: string }).detail).toMatch(
      /^Missing permission: token:update on container \/(restricted|general)\//,
    );
    expect(tokenOf(await owner.get(id)).containers).toEqual(containers);
    expect((await caller.get(id)).text).not.toContain(secret);
    const records = await recordsOf(vault, tenant, id);
    expect(records).toContainEqual(expect.objectContaining({ operation: 'update', outcome: 'denied' }));
  });
});

describe('a move to where the mover sees more', () => {
  it.each<[string, LimitedRights]>([
    [
      'from redact to reveal',
      {
        rules: [
          ruleOn('/restricted/', 'redact', 'token:update', 'token:read'),
          ruleOn('/', 'reveal', 'token:update', 'token:read'),
        ],
      },
    ],
    [
      'from mask to reveal by token:update alone',
      { rules: [ruleOn('/restricted/', 'mask', 'token:update'), ruleOn('/open/', 'reveal', 'token:update')] },
    ],
    [
      'from nothing to what a search shows',
      { rules: [ruleOn('/', 'redact', 'token:update'), ruleOn('/open/', 'mask', 'token:search')] },
    ],
    [
      'to where a search finds what it redacts here, however an update shows it',
      {
        rules: [ruleOn('/restricted/', 'redact', 'token:search'), ruleOn('/', 'mask', 'token:update', 'token:search')],
      },
    ],
    [
      'to where the plaintext may be used',
      { rules: [ruleOn('/', 'mask', 'token:update'), ruleOn('/open/', 'reveal', 'token:use')] },
    ],
    [
      'as a public key',
      {
        type: 'public',
        rules: [ruleOn('/restricted/', 'mask', 'token:update'), ruleOn('/open/', 'reveal', 'token:update')],
      },
    ],
  ])('is refused %s', async (_name, rights) => {
    const { id } = await make(['/restricted/']);
    const caller = new TokenEndpoints(vault, await makeLimitedKey(vault, tenant, rights));
    for (const containers of [['/open/'], ['/open/', '/restricted/']]) {
      const answer = await caller.patch(id, { containers });
      // If the rule on /restricted/ comes first, a token in both containers shows no more than before.
      if (answer.status === 200) expect(containers).toHaveLength(2);
      else expect(answer).toMatchObject({ status: 403, body: { detail: expect.stringContaining('sees more of it') } });
      expect(answer.text).not.toContain(secret);
      expect((await caller.get(id)).text).not.toContain(secret);
    }
    expect(tokenOf(await owner.get(id)).containers).toContain('/restricted/');
  });
});

describe('a move', () => {
  it.each<[string, () => Promise<string>]>([
    ['with the plain permission', () => makeLimitedKey(vault, tenant, { permissions: ['token:update'] })],
    [
      'with a rule on each container',
      () => makeLimitedKey(vault, tenant, { rules: [...onlyOpen, ruleOn('/restricted/', 'redact', 'token:update')] }),
    ],
    [
      'as a session that names the token',
      async () => {
        const conditions = [{ attribute: 'id', operator: 'starts_with', value: 'movable-' }];
        const rules = [{ conditions, transform: 'mask', permissions: ['token:update'] }];
        return makeSessionKey(vault, tenant, { rules }, everything);
      },
    ],
  ])('still works %s', async (_name, makeKey) => {
    const wanted = { data: secret, mask: 'hidden', containers: ['/restricted/', '/open/'] };
    const { id } = await owner.make({ id: `movable-${crypto.randomUUID()}`, ...wanted });
    const answer = await owner.patch(id, { containers: ['/open/'] }, { key: await makeKey() });
    expect(answer).toMatchObject({ status: 200, body: { containers: ['/open/'] } });
    expect(answer.text).not.toContain(secret);
  });

  it('to the same containers in another order leaves nothing and needs nothing more', async () => {
    const { id } = await make(['/restricted/', '/open/']);
    const key = await makeLimitedKey(vault, tenant, { rules: onlyOpen });
    expect((await owner.patch(id, { containers: ['/open/', '/restricted/'] }, { key })).status).toBe(200);
  });
});

function missing(): never {
  throw new Error('There is no such key.');
}
