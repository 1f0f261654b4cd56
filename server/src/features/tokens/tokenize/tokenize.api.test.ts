import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidV4 } from '../../../../test/harness/test-application.ts';
import { type TestResponse, type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const tokenize = (body: unknown, key = tenant.keys.reveal) => vault.request('POST', '/tokenize', { key, body });
const tokenizeText = (rawBody: string) => vault.request('POST', '/tokenize', { key: tenant.keys.reveal, rawBody });
const read = async (id: unknown, key = tenant.keys.reveal) =>
  (await vault.request('GET', `/tokens/${encodeURIComponent(String(id))}`, { key })).body as Record<string, unknown>;
const bodyOf = (answer: TestResponse) => answer.body as Record<string, unknown>;

/** Returns the response with every id that the vault assigned replaced by a mark. */
const marked = (answer: TestResponse) => answer.text.replaceAll(/"[0-9a-f]{8}-[0-9a-f-]{27}"/g, '<id>');

describe('the rules of POST /tokenize', () => {
  it('1. each plain string leaf becomes a generic token and is replaced by its id', async () => {
    const answer = await tokenize({ name: 'Ada', tags: ['x', 'x'], empty: '' });
    expect(answer.status).toBe(200);
    const { name, tags, empty } = answer.body as { name: string; tags: string[]; empty: string };
    for (const id of [name, ...tags, empty]) expect(id).toMatch(uuidV4);
    expect(new Set([name, ...tags, empty]).size).toBe(4);
    expect(await read(name)).toMatchObject({ id: name, type: 'token', data: 'Ada', containers: ['/general/high/'] });
    expect(await read(tags[1])).toMatchObject({ data: 'x' });
    expect(await read(empty)).toMatchObject({ data: '' });
  });

  it('2. an object with type and data becomes the token it asks for and is replaced by that token', async () => {
    const id = `order-${crypto.randomUUID()}`;
    const answer = await tokenize({
      deep: [
        {
          id,
          type: 'token',
          data: { account: 'A-1', pin: 77 },
          mask: { account: '{{ data.account | reveal_last: 1 }}' },
          containers: ['/One/', '/two/'],
          metadata: { Region: 'EU' },
          search_indexes: ['{{ data.account }}'],
          fingerprint_expression: '{{ data.account }}',
          expires_at: '2099-08-26T19:23:57-07:00',
        },
      ],
    });
    expect(answer.status).toBe(200);
    const [token] = (answer.body as { deep: Record<string, unknown>[] }).deep;
    expect(token).toMatchObject({
      id,
      type: 'token',
      data: { account: 'A-1', pin: 77 },
      mask: { account: '{{ data.account | reveal_last: 1 }}' },
      containers: ['/one/', '/two/'],
      metadata: { Region: 'EU' },
      search_indexes: ['{{ data.account }}'],
      fingerprint_expression: '{{ data.account }}',
      expires_at: '2099-08-26T19:23:57-07:00',
    });
    expect(await read(id)).toEqual(token);
    expect(await read(id, tenant.keys.private)).toMatchObject({ data: { account: 'X-1' } });
    const found = await vault.request('POST', '/tokens/search', {
      key: tenant.keys.private,
      body: { query: 'data:A-1' },
    });
    expect(found.body).toMatchObject({ data: [{ id }] });
  });

  it('3. the answer has the structure of the request: keys, order and nesting', async () => {
    const text = '{"b":[["x",{"a":"y"}],[]],"a":{"z":"1","y":{},"x":[{}]},"":"w"}';
    const answer = await tokenizeText(text);
    expect(marked(answer)).toBe(text.replaceAll(/"(x|y|1|w)"(?=[,\]}])/g, '<id>'));
  });

  it('4. a token object in the answer carries what identifies it and shows its data masked', async () => {
    const data = { number: '4242424242424242', expiration_month: 12, expiration_year: 2040, cvc: '123' };
    const answer = await tokenize({ card: { type: 'card', data } }, tenant.keys.private);
    const { card } = answer.body as { card: Record<string, unknown> };
    const shown = { number: 'XXXXXXXXXXXX4242', expiration_month: 12, expiration_year: 2040 };
    expect(card).toMatchObject({
      id: expect.stringMatching(uuidV4),
      tenant_id: tenant.id,
      type: 'card',
      data: shown,
      mask: shown,
      fingerprint_expression: '{{ data.number }}',
      created_by: expect.stringMatching(uuidV4),
      created_at: expect.stringMatching(/Z$/),
    });
    expect(answer.text).not.toContain('4242424242424242');
    expect(answer.text).not.toContain('"123"');
  });
});

describe('what POST /tokenize leaves alone', () => {
  it.each([
    '{"a":1.0,"b":1e400,"c":-0,"d":12345678901234567890,"e":1E+2}',
    '[true,false,null,0,[1.50]]',
    '{}',
    '[]',
    '{"a":{},"b":[],"c":[[],{}]}',
    '{"type":1,"dat":2}',
    '{"__proto__":{"toString":1},"constructor":null,"hasOwnProperty":true}',
  ])('%s comes back byte for byte and makes no token', async (text) => {
    const before = await countTokens();
    const answer = await tokenizeText(text);
    expect(answer).toMatchObject({ status: 200, text });
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(await countTokens()).toBe(before);
  });

  it('passes numbers, booleans and null through between strings', async () => {
    const answer = await tokenizeText('[ "s" , 1.0 ,true, {"n": null, "s":"t", "e":1e400} ]');
    expect(marked(answer)).toBe('[<id>,1.0,true,{"n":null,"s":<id>,"e":1e400}]');
  });

  it.each([
    ['__proto__', '{"__proto__":"s","a":{"__proto__":["s"]}}'],
    ['constructor', '{"constructor":"s","prototype":{"toString":"s"}}'],
    ['unicode', '{"Grüße":"s","日本":{"👩‍👩‍👧":"s"},"\u2028":"s"}'],
    ['control characters', '{"\\u0000":"s","a\\"b\\\\":"s","\\ud800":"s"}'],
    ['dots and slashes', '{"a.b":"s","a/b":{"~1":"s"}}'],
    ['type without data', '{"type":"s"}'],
    ['data without type', '{"data":"s"}'],
  ])('keeps keys with %s', async (_name, text) => {
    const answer = await tokenizeText(text);
    expect(answer.status).toBe(200);
    expect(marked(answer)).toBe(text.replaceAll('"s"', '<id>'));
  });

  it('stores a leaf as it was spelled', async () => {
    const leaf = '"\\u0041 \\/ \\ud83d\\ude00 \\ud800 \\u0000"';
    const { a } = bodyOf(await tokenizeText(`{"a":${leaf}}`));
    const token = await vault.request('GET', `/tokens/${String(a)}`, { key: tenant.keys.reveal });
    expect(token.text).toContain(`"data":${leaf}`);
  });
});

describe('token requests inside a document', () => {
  it('are found at the root, in arrays, and beside leaves', async () => {
    const root = await tokenize({ type: 'token', data: 5, other: 'ignored' });
    expect(root.body).toMatchObject({ type: 'token', data: 5 });
    expect(root.body).not.toHaveProperty('other');
    const mixed = await tokenize([{ type: 'token', data: null }, 'leaf', { type: 'token', data: [1] }]);
    expect(mixed.body).toMatchObject([{ data: null }, expect.stringMatching(uuidV4), { data: [1] }]);
  });

  it('keep their data whole, even where it looks like another request', async () => {
    const data = { type: 'card', data: { number: 'not a card' } };
    const answer = await tokenize({ a: { type: 'token', data } });
    expect(answer.body).toMatchObject({ a: { type: 'token', data } });
  });

  it('keep the spelling of their data', async () => {
    const answer = await tokenizeText('{"a":{"type":"token","data":{ "n" : 1.0, "e":[1e400 ] }}}');
    expect(answer.text).toContain('"data":{ "n" : 1.0, "e":[1e400 ] }');
  });

  it('may write null where they leave a field out', async () => {
    const nothing = {
      id: null,
      containers: null,
      metadata: null,
      search_indexes: null,
      deduplicate_token: null,
      expires_at: null,
    };
    const answer = await tokenize({ a: { type: 'token', data: 1, fingerprint_expression: null, ...nothing } });
    expect(answer.body).toMatchObject({ a: { id: expect.stringMatching(uuidV4), containers: ['/general/high/'] } });
  });

  it('make an id from an expression', async () => {
    const id = '{{ data | alias_preserve_format: 0, 4 }}';
    const answer = await tokenize({ a: { id, type: 'token', data: '5555-0000-1234' } });
    expect(answer.body).toMatchObject({ a: { id: expect.stringMatching(/^\d{4}-\d{4}-1234$/) } });
  });

  it('get ids of their own even where aliases meet', async () => {
    const request = { id: 'x{{ data | alias_preserve_format }}', type: 'token', data: '1234' };
    const answer = await tokenize(Array.from({ length: 500 }, () => request));
    expect(answer.status).toBe(200);
    expect(new Set((answer.body as { id: string }[]).map(({ id }) => id)).size).toBe(500);
  });
});

describe('the record of a tokenization', () => {
  it('has one creation for each token and nothing of the document', async () => {
    const own = await vault.makeTenant();
    const answer = await tokenize(
      { a: 'secret one', b: [{ type: 'bank', data: { routing_number: '021000021', account_number: '12345' } }] },
      own.keys.private,
    );
    const { a, b } = answer.body as { a: string; b: { id: string }[] };
    const records = (await vault.auditRecords(own.id)).filter((record) => record['entity_type'] !== 'tenant');
    const creations = records.filter((record) => [a, b[0]?.id].includes(String(record['entity_id'])));
    const told = creations.map((record) =>
      ['entity_type', 'operation', 'outcome'].map((name) => record[name]).join(' '),
    );
    expect(told.toSorted()).toEqual(['bank create success', 'token create success']);
    expect(JSON.stringify(records)).not.toMatch(/secret one|021000021|12345"/);
  });

  it('stays in the tenant of the key', async () => {
    const other = await vault.makeTenant();
    const { a } = bodyOf(await tokenize({ a: 'mine' }));
    const foreign = await vault.request('GET', `/tokens/${String(a)}`, { key: other.keys.reveal });
    expect(foreign.status).toBe(404);
  });
});

async function countTokens(): Promise<number> {
  const { rows } = await vault.database.owner.query('select count(*)::int as total from tokens where tenant_id = $1', [
    tenant.id,
  ]);
  return (rows as { total: number }[])[0]?.total ?? -1;
}
