import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLimitedKey, makeSessionKey, ruleOn } from '../harness/limited-key.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../harness/token-endpoints.ts';

/**
 * A caller that supplies data may supply any view of it. Previously, such a view stayed when others wrote the
 * data, and showed its author what they had written. A script on a page could plant a token and read what was
 * typed into a card field afterwards.
 */
let vault: TestVault;
let tenant: TestTenant;
let owner: TokenEndpoints;
const authors = new Map<string, TokenEndpoints>();
const writers = new Map<string, TokenEndpoints>();
const secret = 'secret-4012888888881881';
const bait = 'bait';

const writing = ['token:create', 'token:update', 'token:search'];

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  owner = new TokenEndpoints(vault, tenant.keys.reveal);
  const authorKeys: Record<string, Promise<string>> = {
    'a public key': makeLimitedKey(vault, tenant, { type: 'public', permissions: ['token:create', 'token:update'] }),
    'a public key with a masking rule': makeLimitedKey(vault, tenant, {
      type: 'public',
      rules: [ruleOn('/', 'mask', 'token:create', 'token:update')],
    }),
    'a private key with a masking rule': makeLimitedKey(vault, tenant, {
      rules: [ruleOn('/', 'mask', ...writing, 'token:read')],
    }),
    'a private key that creates, and reads masked': makeLimitedKey(vault, tenant, {
      permissions: ['token:create'],
      rules: [ruleOn('/', 'mask', 'token:read', 'token:search')],
    }),
    'a session that masks': makeSessionKey(
      vault,
      tenant,
      { rules: [ruleOn('/', 'mask', ...writing, 'token:read')] },
      { has: { rules: [ruleOn('/', 'reveal', ...writing, 'token:read')] } },
    ),
  };
  for (const [name, key] of Object.entries(authorKeys)) authors.set(name, new TokenEndpoints(vault, await key));
  const writerKeys: Record<string, Promise<string>> = {
    'a key that may see everything': Promise.resolve(tenant.keys.reveal),
    'a private key with the plain permission': makeLimitedKey(vault, tenant, { permissions: ['token:update'] }),
    'another public key': makeLimitedKey(vault, tenant, { type: 'public', permissions: ['token:update'] }),
    'a session that masks': makeSessionKey(
      vault,
      tenant,
      { rules: [ruleOn('/', 'mask', 'token:update')] },
      { has: { rules: [ruleOn('/', 'reveal', 'token:update')] } },
    ),
  };
  for (const [name, key] of Object.entries(writerKeys)) writers.set(name, new TokenEndpoints(vault, await key));
}, 60_000);
afterAll(() => vault.stop());

const authorNames = [
  'a public key',
  'a public key with a masking rule',
  'a private key with a masking rule',
  'a private key that creates, and reads masked',
  'a session that masks',
];
const writerNames = [
  'a key that may see everything',
  'a private key with the plain permission',
  'another public key',
  'a session that masks',
];
const masks: [string, unknown][] = [
  ['a mask of everything', '{{ data }}'],
  ['a mask in an object', { seen: '{{ data }}' }],
  ['a mask in two parts', ['{{ data | slice: 0, 12 }}', '{{ data | slice: 12, 11 }}']],
];
const endpointsOf = (among: ReadonlyMap<string, TokenEndpoints>, name: string) => among.get(name) ?? owner;

/** Returns everything that a caller without plaintext access can get about a token. */
async function seenBy(endpoints: TokenEndpoints, id: string): Promise<string> {
  const answers = [await endpoints.patch(id, { metadata: { looked: 'yes' } }), await endpoints.get(id)];
  return answers.map(({ text }) => text).join();
}

async function isFoundBy(key: string, query: string): Promise<boolean> {
  const answer = await vault.request('POST', '/tokens/search', { key, body: { query } });
  return (answer.body as { data: unknown[] }).data.length > 0;
}

describe.each(authorNames)('a view of %s', (author) => {
  describe.each(writerNames)('over data that %s writes', (writer) => {
    it.each(masks)('is dropped: %s', async (_name, mask) => {
      const { id } = await endpointsOf(authors, author).make({ data: bait, mask });
      const written = await endpointsOf(writers, writer).patch(id, { data: secret });
      expect(written.status).toBe(200);
      expect(tokenOf(written).mask).toBeUndefined();
      expect(await seenBy(endpointsOf(authors, author), id)).not.toContain('401288');
      expect(tokenOf(await owner.get(id)).data).toBe(secret);
    });

    it('is dropped: a search index of a part', async () => {
      const index = '{{ data | slice: 7, 4 }}';
      const { id } = await endpointsOf(authors, author).make({ data: 'bait of many letters', search_indexes: [index] });
      expect((await endpointsOf(writers, writer).patch(id, { data: secret })).status).toBe(200);
      expect(await isFoundBy(tenant.keys.reveal, `data:4012 AND id:${id}`)).toBe(false);
    });

    it('is dropped: a fingerprint of a part', async () => {
      const expression = '{{ data | slice: 7, 4 }}';
      const of = (part: string) => ({ data: `xxxxxxx${part}xxx`, fingerprint_expression: expression });
      const { id } = await endpointsOf(authors, author).make(of('bait'));
      expect((await endpointsOf(writers, writer).patch(id, { data: secret })).status).toBe(200);
      const guess = await owner.make(of('4012'));
      expect(tokenOf(await owner.get(id)).fingerprint).not.toBe(guess.fingerprint);
    });
  });
});

describe('a script with a public key', () => {
  it('cannot read what its own key writes: the fields of the page have the same one', async () => {
    const script = endpointsOf(authors, 'a public key');
    const { id } = await script.make({ data: bait, mask: '{{ data }}' });
    expect((await script.patch(id, { data: secret })).text).not.toContain(secret);
    expect(await seenBy(script, id)).not.toContain(secret);
  });

  it('cannot keep a part of its mask by merging', async () => {
    const script = endpointsOf(authors, 'a public key');
    const { id } = await script.make({ data: { a: bait }, mask: { all: '{{ data | stringify }}' } });
    expect((await owner.patch(id, { mask: { a: '{{ data.a | reveal_last: 4 }}' } })).status).toBe(200);
    expect((await owner.patch(id, { data: { a: secret } })).status).toBe(200);
    expect(await seenBy(script, id)).not.toContain('401288');
  });

  it('cannot keep its mask by changing a part of the data', async () => {
    const script = endpointsOf(authors, 'a public key');
    const { id } = await script.make({ data: { a: bait, b: bait }, mask: '{{ data | stringify }}' });
    expect((await owner.patch(id, { data: { b: secret } })).status).toBe(200);
    expect(await seenBy(script, id)).not.toContain('401288');
  });

  it('cannot have a mask of its own vouched for by a later change of metadata', async () => {
    const script = endpointsOf(authors, 'a public key');
    const { id } = await script.make({ data: bait, mask: '{{ data }}' });
    expect((await owner.patch(id, { metadata: { a: 'b' }, containers: ['/general/low/'] })).status).toBe(200);
    expect((await owner.patch(id, { data: secret })).status).toBe(200);
    expect(await seenBy(script, id)).not.toContain('401288');
  });
});

describe('a view of somebody who may see the plaintext', () => {
  const mask = '{{ data | reveal_last: 4 }}';
  it.each<[string, object]>([
    ['a rule that reveals', { rules: [ruleOn('/', 'reveal', 'token:create', 'token:read')] }],
    ['the plain permission to update', { permissions: ['token:create', 'token:update'] }],
    ['the permission to use', { permissions: ['token:create', 'token:use'] }],
  ])('stays: %s', async (_name, rights) => {
    const author = new TokenEndpoints(vault, await makeLimitedKey(vault, tenant, rights));
    const { id } = await author.make({ data: bait, mask, search_indexes: ['{{ data }}'] });
    for (const writer of writerNames) {
      const written = await endpointsOf(writers, writer).patch(id, { data: `${secret} ${writer}` });
      expect(tokenOf(written).mask).toBe(mask);
      expect(await isFoundBy(tenant.keys.reveal, `data:"${secret} ${writer}" AND id:${id}`)).toBe(true);
    }
  });

  const reveals = { rules: [{ priority: 1, ...ruleOn('/', 'reveal', 'token:create', 'token:read') }] };
  const own = async (): Promise<{ id: string; author: TokenEndpoints }> => {
    const { id, key } = await createApplication(vault, tenant, { permissions: [], ...reveals });
    return { id, author: new TokenEndpoints(vault, key) };
  };
  const { management } = { management: () => tenant.keys.management };

  it('falls when its author sees masked data only', async () => {
    const { id: application, author } = await own();
    const { id } = await author.make({ data: bait, mask });
    const rules = [{ priority: 1, ...ruleOn('/', 'mask', 'token:create', 'token:read') }];
    await vault.request('PUT', `/applications/${application}`, { key: management(), body: { name: 'Less', rules } });
    expect(tokenOf(await owner.patch(id, { data: secret })).mask).toBeUndefined();
  });

  it('falls when its author is gone', async () => {
    const { id: application, author } = await own();
    const { id } = await author.make({ data: bait, mask });
    expect((await vault.request('DELETE', `/applications/${application}`, { key: management() })).status).toBe(204);
    expect(tokenOf(await owner.patch(id, { data: secret })).mask).toBeUndefined();
  });

  it('falls when its author has expired', async () => {
    const { id: application, author } = await own();
    const { id } = await author.make({ data: bait, mask });
    await vault.database.owner.query("update applications set expires_at = now() - interval '1 second' where id = $1", [
      application,
    ]);
    expect(tokenOf(await owner.patch(id, { data: secret })).mask).toBeUndefined();
  });

  it('falls when two have made it, one of whom sees masked data only by now', async () => {
    const { id: application, author } = await own();
    const { id } = await author.make({ data: { a: bait }, mask: { all: '{{ data | stringify }}' } });
    expect((await owner.patch(id, { mask: { a: '{{ data.a | reveal_last: 4 }}' } })).status).toBe(200);
    const rules = [{ priority: 1, ...ruleOn('/', 'mask', 'token:create', 'token:read') }];
    await vault.request('PUT', `/applications/${application}`, { key: management(), body: { name: 'Less', rules } });
    expect((await owner.patch(id, { data: { a: secret } })).status).toBe(200);
    expect((await author.get(id)).text).not.toContain('401288');
  });

  it.each<[string, object, object]>([
    ['lies', { containers: ['/elsewhere/'] }, { data: secret }],
    ['goes', {}, { data: secret, containers: ['/elsewhere/'] }],
  ])('falls when its author sees nothing where the token %s', async (_name, moved, patch) => {
    const rules = [{ priority: 1, ...ruleOn('/general/', 'reveal', 'token:create', 'token:read') }];
    const { key } = await createApplication(vault, tenant, { permissions: [], rules });
    const { id } = await new TokenEndpoints(vault, key).make({ data: bait, mask });
    expect((await owner.patch(id, moved)).status).toBe(200);
    expect(tokenOf(await owner.patch(id, patch)).mask).toBeUndefined();
  });

  it('falls when a session was its author, which ends within a day', async () => {
    const rules = [ruleOn('/', 'reveal', 'token:create', 'token:read')];
    const session = new TokenEndpoints(vault, await makeSessionKey(vault, tenant, { rules }, { has: { rules } }));
    const { id } = await session.make({ data: bait, mask });
    expect(tokenOf(await owner.patch(id, { data: secret })).mask).toBeUndefined();
  });

  it('falls when a server of an earlier version has written the token since', async () => {
    const { author } = await own();
    const { id } = await author.make({ data: bait, mask });
    const views = await vault.database.owner.query('select views from tokens where id = $1', [id]);
    expect((await owner.patch(id, { data: 'again' })).status).toBe(200);
    await vault.database.owner.query('update tokens set views = $2 where id = $1', [id, views.rows[0]?.views]);
    expect(tokenOf(await owner.patch(id, { data: secret })).mask).toBeUndefined();
  });
});

describe('what stays whoever wrote it', () => {
  it('is a mask that shows nothing', async () => {
    const { id } = await endpointsOf(authors, 'a public key').make({ data: bait, mask: null });
    await owner.patch(id, { data: secret });
    const { rows } = await vault.database.owner.query('select mask from tokens where id = $1', [id]);
    expect(rows).toEqual([{ mask: 'null' }]);
  });

  it('is a mask beside a new verification code, which no view reads', async () => {
    const mask = { number: '{{ data.number | reveal_last: 4 }}' };
    const card = { type: 'card', data: { number: '4242424242424242' }, mask };
    const page = endpointsOf(authors, 'a public key');
    const { id } = await page.make(card);
    expect(tokenOf(await page.patch(id, { data: { cvc: '123' } })).mask).toEqual(mask);
  });

  it('is a view that comes with the data itself', async () => {
    const page = endpointsOf(authors, 'a public key');
    const { id } = await page.make({ data: bait });
    expect(tokenOf(await page.patch(id, { data: secret, mask: '{{ data }}' })).data).toBe(secret);
  });
});
