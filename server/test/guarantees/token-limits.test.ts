import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenLimits } from '../../src/core/token-limits.ts';
import { ImportFolder, toLines } from '../harness/import-file.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { idsOf, pageOf } from '../harness/token-answers.ts';
import { TokenEndpoints, tokenOf } from '../harness/token-endpoints.ts';
import { type TokenFields, tokenWriters, toWholeToken } from '../harness/token-writers.ts';

// Tests every limit of a token through every request that accepts a token. A value at the limit is accepted. A value
// that exceeds it by one is refused with an error that states the limit. Texts consist of ASCII and of characters
// outside the basic plane.

let vault: TestVault;
let tenant: TestTenant;
let folder: ImportFolder;
let tokens: TokenEndpoints;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  folder = await ImportFolder.make();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
});
afterAll(async () => {
  await vault.stop();
  await folder.remove();
});

const requests = ['create', 'tokenize', 'patch'] as const;

type Script = 'ASCII' | 'astral';
const ascii = 'abcdefghijklmnopqrstuvwxyz0123456789_-';
/**
 * The number of CJK ideographs of extension B to choose from, beginning at U+20000. Each takes four bytes in UTF-8 and
 * two code units in JavaScript.
 */
const ideographs = 42_000;

/**
 * Returns random text, which does not compress. An index accepts repetitive text at lengths at which it rejects random
 * text.
 */
function textOf(length: number, script: Script): string {
  const draws = Array.from(crypto.getRandomValues(new Uint32Array(length)));
  return draws
    .map((draw) =>
      script === 'ASCII' ? ascii[draw % ascii.length] : String.fromCodePoint(0x20000 + (draw % ideographs)),
    )
    .join('');
}

const many = <T>(count: number, item: (index: number) => T) => Array.from({ length: count }, (_, index) => item(index));

interface LimitCase {
  readonly what: string;
  readonly max: number;
  /** True if a patch cannot change the field. */
  readonly isLasting?: boolean;
  readonly fields: (size: number, script: Script) => TokenFields;
}

const texts: readonly LimitCase[] = [
  {
    what: 'id',
    max: tokenLimits.idLengthMax,
    isLasting: true,
    fields: (size, script) => ({ id: textOf(size, script) }),
  },
  {
    what: 'metadata key',
    max: tokenLimits.metadataKeyLengthMax,
    fields: (size, script) => ({ metadata: { [textOf(size, script)]: 'v' } }),
  },
  {
    what: 'metadata value',
    max: tokenLimits.metadataValueLengthMax,
    fields: (size, script) => ({ metadata: { k: textOf(size, script) } }),
  },
  {
    what: 'search index',
    max: tokenLimits.expressionLengthMax,
    fields: (size, script) => ({ search_indexes: [`{{ data.name }}${textOf(size - 15, script)}`] }),
  },
  {
    what: 'search index that is one expression',
    max: tokenLimits.expressionLengthMax,
    fields: (size, script) => ({ search_indexes: [`{{ data.name | append: '${textOf(size - 27, script)}'}}`] }),
  },
  {
    what: 'fingerprint expression',
    max: tokenLimits.fingerprintExpressionLengthMax,
    fields: (size, script) => ({ fingerprint_expression: `{{ data.name }}${textOf(size - 15, script)}` }),
  },
  {
    what: 'text in a mask',
    max: tokenLimits.expressionLengthMax,
    fields: (size, script) => ({ mask: { a: `{{ data.name }}${textOf(size - 15, script)}` } }),
  },
];

const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)]);
const path = (length: number) => `/${textOf(length - 2, 'ASCII')}/`;

const counts: readonly LimitCase[] = [
  {
    what: 'containers',
    max: tokenLimits.containersMax,
    fields: (size) => ({ containers: many(size, () => path(20)) }),
  },
  { what: 'container', max: tokenLimits.containerLengthMax, fields: (size) => ({ containers: [path(size)] }) },
  {
    what: 'characters of all containers',
    max: tokenLimits.containersLengthMax,
    fields: (size) => ({ containers: [path(400), path(400), path(size - 800)] }),
  },
  {
    what: 'metadata keys',
    max: tokenLimits.metadataKeysMax,
    fields: (size) => ({ metadata: Object.fromEntries(many(size, (index) => [`k${index}`, 'v'])) }),
  },
  {
    what: 'search indexes',
    max: tokenLimits.searchIndexesMax,
    fields: (size) => ({ search_indexes: many(size, (index) => `{{ data.name }}${index}`) }),
  },
  {
    what: 'expressions',
    max: tokenLimits.expressionsMax,
    // The fingerprint of the type is one of them.
    fields: (size) => ({
      mask: many(size - 21, () => '{{ data.name }}'),
      search_indexes: many(20, () => '{{ data.name }}'),
    }),
  },
  {
    what: 'filters of an expression',
    max: tokenLimits.filtersPerExpressionMax,
    fields: (size) => ({ mask: `{{ data.name ${'| upcase '.repeat(size)} }}` }),
  },
  {
    what: 'steps of a path',
    max: tokenLimits.pathStepsMax,
    fields: (size) => ({ mask: `{{ data${'.a'.repeat(size)} }}` }),
  },
  { what: 'levels of a mask', max: tokenLimits.maskDepthMax, fields: (size) => ({ mask: deep(size) }) },
  {
    what: 'values of a mask',
    max: tokenLimits.maskValuesMax,
    // The list that contains them counts as one.
    fields: (size) => ({ mask: many(size - 1, () => 1) }),
  },
  {
    what: 'bytes of a mask',
    max: tokenLimits.maskBytesMax,
    // Everything but the repeated letter takes ten bytes.
    fields: (size) => ({ mask: { [`é${'n'.repeat(size - 10)}`]: 'x' } }),
  },
  {
    what: 'members of card data',
    max: tokenLimits.cardMembersMax,
    fields: (size) => ({
      type: 'card',
      data: { number: '4242424242424242', ...Object.fromEntries(many(size - 1, (index) => [`m${index}`, index])) },
    }),
  },
];

const cases = [
  ...texts.flatMap((one) => (['ASCII', 'astral'] as const).map((script) => ({ ...one, script }))),
  ...counts.map((one) => ({ ...one, script: 'ASCII' as const })),
];

describe.each(requests)('%s', (name) => {
  const send = (fields: TokenFields) => tokenWriters(vault, tenant.keys.reveal)[name](fields);
  const own = cases.filter(({ isLasting = false }) => !isLasting || name !== 'patch');

  it.each(own)('takes $max and no more: $what ($script)', async ({ max, script, fields }) => {
    const taken = await send(fields(max, script));
    expect(taken.status < 300 || taken.text).toBe(true);
    const refused = await send(fields(max + 1, script));
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(String(max));
  });
});

describe('import', () => {
  let rejects: readonly Readonly<Record<string, unknown>>[];
  beforeAll(async () => {
    const records = cases.flatMap(({ max, script, fields }) => [fields(max, script), fields(max + 1, script)]);
    ({ rejects } = await folder.import(vault, tenant, { text: toLines(...records.map(toWholeToken)) }));
  });

  it.each(cases.map((one, index) => ({ ...one, index })))(
    'takes $max and no more: $what ($script)',
    ({ max, index }) => {
      const [taken, refused] = [1, 2].map((line) => rejects.find((reject) => reject['line'] === 2 * index + line));
      expect(taken).toBeUndefined();
      expect(JSON.stringify(refused)).toContain(String(max));
    },
  );
});

describe('what is stored at a limit', () => {
  it.each(['ASCII', 'astral'] as const)('is read, changed and removed by the longest id (%s)', async (script) => {
    const id = textOf(tokenLimits.idLengthMax, script);
    await tokens.make({ id, data: 'at the limit' });
    expect(tokenOf(await tokens.get(id))).toMatchObject({ id, data: 'at the limit' });
    expect((await tokens.patch(id, { data: 'changed' })).status).toBe(200);
    const body = { place: `{{ ${id} }}`, whole: `{{ token: ${id} | json: '$.data' }}` };
    const detokenized = await vault.request('POST', '/detokenize', { key: tenant.keys.reveal, body });
    expect(detokenized.body).toEqual({ place: 'changed', whole: 'changed' });
    expect((await tokens.delete(id)).status).toBe(204);
    expect((await tokens.get(id)).status).toBe(404);
    expect((await tokens.get(`${id}a`)).status).toBe(404);
  });

  it('has room in every index together: id, containers and type at their longest', async () => {
    const longestType = { type: 'social_security_number', data: '123-45-6789' };
    const id = textOf(tokenLimits.idLengthMax, 'astral');
    const half = [path(400), path(400)];
    const separate = many(8, () => path((tokenLimits.containersLengthMax - 800) / 8));
    const expires_at = '2999-01-01';
    const made = await tokens.create({ id, ...longestType, containers: [...half, ...separate], expires_at });
    expect(made.status === 201 || made.text).toBe(true);
    const { pagination, data } = pageOf(
      await vault.request('GET', `/tokens?container=${half[0] ?? ''}`, { key: tenant.keys.reveal }),
    );
    expect({ total: pagination.total_items, ids: data.map((token) => token.id) }).toEqual({ total: 1, ids: [id] });
  });

  it.each(['ASCII', 'astral'] as const)('follows pages from the longest id (%s)', async (script) => {
    const key = (await vault.makeTenant()).keys.reveal;
    const own = new TokenEndpoints(vault, key);
    const [first, second] = [textOf(tokenLimits.idLengthMax, script), textOf(tokenLimits.idLengthMax, script)];
    await own.make({ id: first, data: 1 });
    await own.make({ id: second, data: 2 });
    const page = pageOf(await vault.request('GET', '/v2/tokens?size=1', { key }));
    expect(idsOf(page)).toEqual([second]);
    const start = page.pagination.next ?? '';
    const next = await vault.request('GET', `/v2/tokens?size=1&start=${encodeURIComponent(start)}`, { key });
    expect(idsOf(pageOf(next))).toEqual([first]);
    const found = await vault.request('POST', '/v2/tokens/search', { key, body: { start, size: 1 } });
    expect(idsOf(pageOf(found))).toEqual([first]);
  });

  it('has a verification code for as long as the table says, however it was written', async () => {
    const card = { number: '4242424242424242', cvc: '123' };
    const created = await tokens.make({ type: 'card', data: card });
    const patched = await tokens.make({ type: 'card', data: { number: card.number } });
    expect((await tokens.patch(patched.id, { data: { cvc: '456' } })).status).toBe(200);
    const { rows } = await vault.database.owner.query<{ seconds: number }>(
      `select extract(epoch from c.expires_at - coalesce(t.modified_at, t.created_at))::float8 as seconds
       from token_cvcs c join tokens t on t.tenant_id = c.tenant_id and t.id = c.token_id where t.id = any($1)`,
      [[created.id, patched.id]],
    );
    expect(rows).toEqual([{ seconds: tokenLimits.cvcLifeSeconds }, { seconds: tokenLimits.cvcLifeSeconds }]);
  });
});

describe('a token as a whole', () => {
  const { sizeBytesMax } = tokenLimits;
  const bodyOf = (size: number) => {
    const [head, tail] = ['{"type":"token","data":"', '"}'];
    return `${head}${'x'.repeat(size - head.length - tail.length)}${tail}`;
  };
  const post = (rawBody: string) => vault.request('POST', '/tokens', { key: tenant.keys.reveal, rawBody });

  it('comes in a body of 4 MiB, and no larger', async () => {
    expect((await post(bodyOf(sizeBytesMax))).status).toBe(201);
    expect(await post(bodyOf(sizeBytesMax + 1))).toMatchObject({ status: 413, text: expect.stringContaining('4 MiB') });
  });

  it('comes in a record of 4 MiB, and no larger', async () => {
    const text = `${bodyOf(sizeBytesMax)}\n${bodyOf(sizeBytesMax + 1)}\n`;
    const { imported, rejects } = await folder.import(vault, tenant, { text });
    expect(imported).toBe(1);
    expect(JSON.stringify(rejects)).toContain('4 MiB');
  });

  it('grows by patches to 4 MiB, and no further', async () => {
    const half = 'x'.repeat(sizeBytesMax / 2);
    const { id } = await tokens.make({ data: { a: half } });
    // The text subtracted here is the quotes, names, colons, comma and braces around both members.
    const rest = 'x'.repeat(sizeBytesMax / 2 - '{"a":"","b":""}'.length);
    expect((await tokens.patch(id, { data: { b: rest } })).status).toBe(200);
    const refused = await tokens.patch(id, { data: { b: `${rest}x` } });
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('4 MiB') });
  });
});
