import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestLimits } from '../../src/core/budget/request-budget.ts';
import { jsonDepthMax, jsonValuesMax } from '../../src/core/json/json-limits.ts';
import { tokenizeLimits, tokenLimits, tokenQueryLimits } from '../../src/core/token-limits.ts';
import { sizeMaxDefault } from '../../src/http/parameters/pagination.ts';
import { type TestResponse, type TestTenant, TestVault } from '../harness/test-vault.ts';
import { idsOf, pageOf } from '../harness/token-answers.ts';
import { TokenEndpoints } from '../harness/token-endpoints.ts';

// Tests every limit of token queries on every route that accepts them. A query at the limit works. A query that exceeds
// it by one is refused with an error that states the limit.

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
const astral = '👍';
const scripts = [
  ['ASCII', 'k'],
  ['astral', astral],
] as const;
const { metadataKeyLengthMax, metadataValueLengthMax } = tokenLimits;
const pairOf = (character: string) => [
  character.repeat(metadataKeyLengthMax),
  character.repeat(metadataValueLengthMax),
];
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
  for (const [script, character] of scripts) {
    const [key = '', value = ''] = pairOf(character);
    await tokens.make({ id: `pair-${script}`, data: 1, metadata: { [key]: value } });
    await tokens.make({ id: character.repeat(tokenLimits.idLengthMax), data: 1 });
  }
  await tokens.make({ id: 'contained', data: 1, containers: [`/${'c'.repeat(tokenLimits.containerLengthMax - 2)}/`] });
});
afterAll(() => vault.stop());

const lists = ['/tokens', '/v2/tokens'] as const;
const searches = ['/tokens/search', '/v2/tokens/search'] as const;
const list = (path: string, query: string) => vault.request('GET', `${path}?${query}`, { key: tenant.keys.reveal });
const post = (path: string, body: unknown) => vault.request('POST', path, { key: tenant.keys.reveal, body });
const parameter = (name: string, value: string) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
const many = <T>(count: number, item: (index: number) => T) => Array.from({ length: count }, (_, index) => item(index));

function expectRefusal(answer: TestResponse, limit: number): void {
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(String(limit));
}

describe.each(lists)('GET %s', (path) => {
  describe.each(scripts)('in %s', (script, character) => {
    const [key = '', value = ''] = pairOf(character);

    it('finds by the longest id', async () => {
      const id = character.repeat(tokenLimits.idLengthMax);
      expect(idsOf(pageOf(await list(path, parameter('id', id))))).toEqual([id]);
      expectRefusal(await list(path, parameter('id', `${id}${character}`)), tokenLimits.idLengthMax);
    });

    it.each([
      ['metadata.key', (k: string, v: string) => parameter(`metadata.${k}`, v)],
      ['metadata[key]', (k: string, v: string) => parameter(`metadata[${k}]`, v)],
      ['metadata', (k: string, v: string) => parameter('metadata', JSON.stringify({ [k]: v }))],
    ])('finds by the longest pair as %s', async (_name, write) => {
      expect(idsOf(pageOf(await list(path, write(key, value))))).toEqual([`pair-${script}`]);
      expectRefusal(await list(path, write(`${key}${character}`, 'v')), metadataKeyLengthMax);
      expectRefusal(await list(path, write('k', `${value}${character}`)), metadataValueLengthMax);
    });

    it.each([
      ['type', tokenLimits.typeLengthMax],
      ['fingerprint', tokenLimits.fingerprintLengthMax],
    ])('takes a %s of %i characters', async (name, max) => {
      expect(idsOf(pageOf(await list(path, parameter(name, character.repeat(max)))))).toEqual([]);
      expectRefusal(await list(path, parameter(name, character.repeat(max + 1))), max);
    });
  });

  it('finds by the longest container, alone and as a subtree', async () => {
    const container = `/${'c'.repeat(tokenLimits.containerLengthMax - 2)}/`;
    for (const filter of [container, `${container}*`]) {
      expect(idsOf(pageOf(await list(path, parameter('container', filter))))).toEqual(['contained']);
      expectRefusal(await list(path, parameter('container', `/c${filter.slice(1)}`)), tokenLimits.containerLengthMax);
    }
  });

  it.each([
    [
      'values',
      tokenQueryLimits.filterValuesMax,
      (count: number) => many(count, (index) => parameter('id', `v${index}`)),
    ],
    [
      'metadata keys',
      tokenQueryLimits.filterMetadataKeysMax,
      (count: number) => many(count, (index) => parameter(`metadata.k${index}`, 'v')),
    ],
  ])('takes so many %s: %i', async (_name, max, parametersOf) => {
    expect(idsOf(pageOf(await list(path, parametersOf(max).join('&'))))).toEqual([]);
    expectRefusal(await list(path, parametersOf(max + 1).join('&')), max);
  });

  it('has pages of so many items', async () => {
    expect((await list(path, `size=${sizeMaxDefault}`)).status).toBe(200);
    expectRefusal(await list(path, `size=${sizeMaxDefault + 1}`), sizeMaxDefault);
  });
});

describe.each(searches)('POST %s', (path) => {
  it.each(scripts)('takes the longest query, and finds by it (%s)', async (_script, character) => {
    const head = `metadata.k:`;
    const value = character.repeat(tokenQueryLimits.queryLengthMax - head.length);
    const { id } = await tokens.make({ data: 1, metadata: { k: value } });
    expect(idsOf(pageOf(await post(path, { query: `${head}${value}` })))).toEqual([id]);
    expectRefusal(await post(path, { query: `${head}${value}${character}` }), tokenQueryLimits.queryLengthMax);
    expect((await tokens.delete(id)).status).toBe(204);
  });

  it('takes so many levels', async () => {
    // The field itself counts as one level.
    const query = (levels: number) => `${'('.repeat(levels - 1)}id:contained${')'.repeat(levels - 1)}`;
    expect(idsOf(pageOf(await post(path, { query: query(tokenQueryLimits.queryDepthMax) })))).toEqual(['contained']);
    expectRefusal(
      await post(path, { query: query(tokenQueryLimits.queryDepthMax + 1) }),
      tokenQueryLimits.queryDepthMax,
    );
  });

  it('has pages of so many items', async () => {
    expect((await post(path, { size: sizeMaxDefault })).status).toBe(200);
    expectRefusal(await post(path, { size: sizeMaxDefault + 1 }), sizeMaxDefault);
  });
});

describe('a cursor', () => {
  it('has so many characters on both routes', async () => {
    const { cursorLengthMax } = tokenQueryLimits;
    const start = 'x'.repeat(cursorLengthMax + 1);
    expectRefusal(await list('/v2/tokens', parameter('start', start)), cursorLengthMax);
    expectRefusal(await post('/v2/tokens/search', { start }), cursorLengthMax);
  });
});

describe('POST /tokenize', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

  it.each([
    ['tokens', tokenizeLimits.tokensMax, (count: number) => many(count, String)],
    ['levels', tokenizeLimits.depthMax, nested],
    ['values', tokenizeLimits.valuesMax, (count: number) => many(count, () => 1)],
  ])('takes so many %s: %i', async (_name, max, documentOf) => {
    expect((await post('/tokenize', documentOf(max))).status).toBe(200);
    expectRefusal(await post('/tokenize', documentOf(max + 1)), max);
  });
});

describe('POST /detokenize', () => {
  it('refers to so many different tokens', async () => {
    const { referencedTokensMax: max } = tokenizeLimits;
    const made = (await post('/tokenize', many(max + 1, String))).body as string[];
    const references = made.map((id) => `{{ ${id} }}`);
    expect((await post('/detokenize', references.slice(1))).body).toEqual(many(max, (index) => String(index + 1)));
    expectRefusal(await post('/detokenize', references), max);
  });

  it.each([
    ['in one text', (references: string[]) => ({ text: references.join('') })],
    ['over all texts', (references: string[]) => references],
  ])('holds so many references %s', async (_name, bodyOf) => {
    const references = many(requestLimits.references, () => '{{ contained }}');
    expect((await post('/detokenize', bodyOf(references))).status).toBe(200);
    expectRefusal(await post('/detokenize', bodyOf([...references, '{{ contained }}'])), requestLimits.references);
  });

  it.each(scripts)('takes the longest reference (%s)', async (_script, character) => {
    const reference = (length: number) => `{{ contained | append: '${character.repeat(length - 23)}'}}`;
    const { expressionLengthMax } = tokenLimits;
    // The limit applies to the text between the braces, which do not count.
    expect((await post('/detokenize', { a: reference(expressionLengthMax) })).status).toBe(200);
    expectRefusal(await post('/detokenize', { a: reference(expressionLengthMax + 1) }), expressionLengthMax);
  });
});

describe('a document', () => {
  const arrays = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const send = (dataText: string) => tokens.createRaw(dataText);

  it('has so many levels', async () => {
    // The body itself counts as one level.
    expect((await send(arrays(jsonDepthMax - 1))).status).toBe(201);
    expectRefusal(await send(arrays(jsonDepthMax)), jsonDepthMax);
  });

  it('has so many values', async () => {
    // The body, its type and the list count as three values.
    const list = (values: number) => JSON.stringify(many(values - 3, () => 1));
    expect((await send(list(jsonValuesMax))).status).toBe(201);
    expectRefusal(await send(list(jsonValuesMax + 1)), jsonValuesMax);
  });
});
