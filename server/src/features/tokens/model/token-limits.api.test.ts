import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
/** A token with nothing but data, for updates. */
let id: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
  ({ id } = await tokens.make({ data: { name: 'Ada', none: null, empty: '', list: ['a'], object: { a: 1 } } }));
});
afterAll(() => vault.stop());

const many = (count: number, value: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => value(index));
const entries = (count: number, prefix = 'k') =>
  Object.fromEntries(many(count, (index) => `${prefix}${index}`).map((key) => [key, 'v']));
/** Sends the same fields in a create and in an update, which must validate them alike. */
const both = async (fields: Readonly<Record<string, unknown>>) => {
  const { data } = tokenOf(await tokens.get(id));
  return [await tokens.create({ type: 'token', data, ...fields }), await tokens.patch(id, fields)];
};
const accepted = async (fields: Readonly<Record<string, unknown>>) =>
  expect((await both(fields)).map(({ status, text }) => (status < 300 ? status : text))).toStrictEqual([201, 200]);
const refused = async (field: string, fields: Readonly<Record<string, unknown>>) => {
  const answers = await both(fields);
  expect(answers.map(({ status }) => status)).toStrictEqual([400, 400]);
  expect(answers.map((answer) => fieldsOf(answer).includes(field) || fieldsOf(answer))).toStrictEqual([true, true]);
};

describe('metadata', () => {
  it('has up to 50 keys of 200 and values of 500 characters, of any script', async () => {
    await accepted({ metadata: null });
    await accepted({ metadata: entries(50) });
    await tokens.patch(id, { metadata: null });
    await accepted({
      metadata: { ['k'.repeat(200)]: 'v'.repeat(500), ['👍'.repeat(200)]: '👍'.repeat(500), 'a b\tc': '\n' },
    });
    await tokens.patch(id, { metadata: null });
  });

  it.each([
    ['51 keys', 'metadata', entries(51)],
    ['a key of 201 characters', 'metadata', { ['k'.repeat(201)]: 'v' }],
    ['a key without a character', 'metadata', { '': 'v' }],
    ['a value of 501 characters', 'metadata.k', { k: 'v'.repeat(501) }],
    ['a NUL in a value', 'metadata', { k: 'a\u0000' }],
    ['a NUL in a key', 'metadata', { 'k\u0000': 'a' }],
    ['half a character in a value', 'metadata', { k: '\ud800' }],
    ['half a character in a key', 'metadata', { '\udfff': 'a' }],
    ['a number', 'metadata.k', { k: 7 }],
    ['a boolean', 'metadata.k', { k: true }],
    ['an object', 'metadata.k', { k: {} }],
    ['a number under a key with a line end', 'metadata.k\nl', { 'k\nl': 7 }],
    ['an object under a key with a line end', 'metadata.\n', { '\n': { a: 1 } }],
    ['a list', 'metadata', ['a']],
    ['a text', 'metadata', 'a'],
  ])('refuses %s', async (_name, field, metadata) => {
    await refused(field, { metadata });
  });

  it('refuses null as a value of a new token, where an update removes the key', async () => {
    expect(fieldsOf(await tokens.create({ type: 'token', data: 1, metadata: { k: null } }))).toContain('metadata.k');
    expect((await tokens.patch(id, { metadata: { k: null } })).status).toBe(200);
  });

  it('refuses the 51st key however it comes, and takes it where another leaves', async () => {
    const full = await tokens.make({ data: 1, metadata: entries(50) });
    expect(fieldsOf(await tokens.patch(full.id, { metadata: { more: 'v' } }))).toStrictEqual(['metadata']);
    const swapped = await tokens.patch(full.id, { metadata: { more: 'v', k0: null } });
    expect(Object.keys(tokenOf(swapped).metadata ?? {})).toHaveLength(50);
    const all = {
      ...Object.fromEntries(Object.keys(tokenOf(swapped).metadata ?? {}).map((key) => [key, null])),
      ...entries(50, 'l'),
    };
    expect(tokenOf(await tokens.patch(full.id, { metadata: all })).metadata).toStrictEqual(entries(50, 'l'));
  });
});

describe('search_indexes', () => {
  it('are up to 20, and each yields one value that is not empty', async () => {
    await accepted({ search_indexes: many(20, (index) => `{{ data.name }}${index}`) });
    await accepted({
      search_indexes: ['{{ data.list[0] }}', '{{ data.object.a }}', '{{ data.name | downcase }}', 'constant'],
    });
    await accepted({ search_indexes: [] });
  });

  it.each([
    ['21 of them', 'search_indexes', many(21, () => '{{ data.name }}')],
    ['one that is not there', 'search_indexes.1', ['{{ data.name }}', '{{ data.missing }}']],
    ['null', 'search_indexes.0', ['{{ data.none }}']],
    ['nothing', 'search_indexes.0', ['{{ data.empty }}']],
    ['an empty text', 'search_indexes.0', ['']],
    ['a list', 'search_indexes.0', ['{{ data.list }}']],
    ['an object', 'search_indexes.0', ['{{ data.object }}']],
    ['a filter that fails', 'search_indexes.0', ['{{ data.name | to_number }}']],
    ['an unknown filter', 'search_indexes.0', ['{{ data | nope }}']],
    ['a text of 1001 characters', 'search_indexes.0', ['x'.repeat(1_001)]],
    ['a NUL', 'search_indexes.0', ['\u0000']],
    ['half a character', 'search_indexes.0', ['\ud800']],
    ['a number', 'search_indexes.0', [7]],
    ['null in the list', 'search_indexes.0', [null]],
    ['metadata, which indexes do not know', 'search_indexes.0', ['{{ metadata.k }}']],
  ])('refuses %s', async (_name, field, search_indexes) => {
    await refused(field, { search_indexes, metadata: { k: 'v' } });
  });
});

describe('expressions', () => {
  const leaves = (count: number) => many(count, () => '{{ data.name }}');

  it('are up to 64 in one token', async () => {
    await accepted({ mask: leaves(43), search_indexes: leaves(20) });
    await accepted({
      mask: leaves(43),
      search_indexes: leaves(19),
      fingerprint_expression: '{{ data.name }}{{ data.name }}',
    });
    await accepted({ mask: null, search_indexes: null, fingerprint_expression: null });
  });

  it('400 refuses one more, however they are spread', async () => {
    await refused('mask', { mask: leaves(44), search_indexes: leaves(20) });
    await refused('mask', {
      mask: leaves(43),
      search_indexes: leaves(19),
      fingerprint_expression: '{{ data.name }}'.repeat(3),
    });
    await refused('mask.64', { mask: leaves(65) });
    await refused('mask', { mask: '{{data.name}}'.repeat(65) });
  });

  it('400 refuses a mask that is too deep', async () => {
    const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)]);
    await accepted({ mask: deep(32) });
    await refused(`mask${'.0'.repeat(33)}`, { mask: deep(33) });
    await accepted({ mask: null });
  });

  it('400 refuses a fingerprint expression of 401 characters', async () => {
    await accepted({ fingerprint_expression: `{{ data }}${'x'.repeat(390)}` });
    await refused('fingerprint_expression', { fingerprint_expression: `{{ data }}${'x'.repeat(391)}` });
    await accepted({ fingerprint_expression: null });
  });
});

describe('containers', () => {
  it('are up to 10, of up to 400 characters each', async () => {
    await accepted({ containers: many(10, (index) => `/c${index}/`) });
    await accepted({ containers: [`/${'a'.repeat(398)}/`] });
    await accepted({ containers: ['/'] });
    await accepted({ containers: ['/A-b_9/Z/'] });
  });

  it.each([
    ['none', 'containers', []],
    ['11 of them', 'containers', many(11, (index) => `/c${index}/`)],
    ['401 characters', 'containers.0', [`/${'a'.repeat(399)}/`]],
    ['no slash at the start', 'containers.0', ['a/']],
    ['no slash at the end', 'containers.1', ['/a/', '/a']],
    ['an empty segment', 'containers.0', ['/a//b/']],
    ['nothing', 'containers.0', ['']],
    ['a dot', 'containers.0', ['/a.b/']],
    ['a parent', 'containers.0', ['/../']],
    ['a blank', 'containers.0', ['/a b/']],
    ['a letter of another script', 'containers.0', ['/é/']],
    ['a letter that becomes one of ours in lower case', 'containers.0', ['/\u212a/']],
    ['a star', 'containers.0', ['/*/']],
    ['a line end', 'containers.0', ['/a/\n']],
    ['a NUL', 'containers.0', ['/\u0000/']],
    ['null in the list', 'containers.0', [null]],
    ['a number', 'containers.0', [7]],
    ['a text', 'containers', '/a/'],
  ])('refuses %s', async (_name, field, containers) => {
    await refused(field, { containers });
  });
});
