import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertedCharactersMax, requestLimits } from '../../src/core/budget/request-budget.ts';
import { jsonDepthMax, jsonValuesMax } from '../../src/core/json/json-limits.ts';
import { inMebibytes } from '../../src/core/text/byte-size.ts';
import { tokenizeLimits, tokenLimits, tokenQueryLimits } from '../../src/core/token-limits.ts';
import { fieldsMax } from '../../src/features/proxy/url-fields.ts';
import { sizeMaxDefault } from '../../src/http/parameters/pagination.ts';
import { lifeMs, sealMs } from '../../src/platform/keyring/cvc/epoch.ts';
import { rowsIn, sectionOf } from '../docs/documentation.ts';
import { withoutReferences } from '../harness/openapi-document.ts';
import { TestVault } from '../harness/test-vault.ts';

// The documentation, the API description and the database state the same token limits as the table in the code.

const repository = path.resolve(import.meta.dirname, '../../..');
const readText = (file: string) => readFile(path.join(repository, file), 'utf8');

describe('the documentation', () => {
  const limits = tokenLimits;
  const tables: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    'What a token may hold': [
      [`Characters of an id, which has ${limits.idLengthMin} or more`, count(limits.idLengthMax)],
      ['Characters of a type', count(limits.typeLengthMax)],
      ['Containers', count(limits.containersMax)],
      ['Characters of a container', count(limits.containerLengthMax)],
      ['Characters of all containers together', count(limits.containersLengthMax)],
      ['Metadata keys', count(limits.metadataKeysMax)],
      ['Characters of a metadata key', count(limits.metadataKeyLengthMax)],
      ['Characters of a metadata value', count(limits.metadataValueLengthMax)],
      ['Search indexes', count(limits.searchIndexesMax)],
      ['Characters of a fingerprint', count(limits.fingerprintLengthMax)],
      ['Characters of a fingerprint expression', count(limits.fingerprintExpressionLengthMax)],
      ['Characters of any other expression: search index, text in a mask, id', count(limits.expressionLengthMax)],
      ['Expressions in mask, search indexes and fingerprint expression together', count(limits.expressionsMax)],
      ['Filters of an expression', count(limits.filtersPerExpressionMax)],
      ['Steps of a path in an expression', count(limits.pathStepsMax)],
      ['Levels of a mask', count(limits.maskDepthMax)],
      ['Values of a mask', count(limits.maskValuesMax)],
      ['Bytes of a mask as JSON', count(limits.maskBytesMax)],
      ['Members of card data', count(limits.cardMembersMax)],
      ['Seconds that a card verification code is kept', count(limits.cvcLifeSeconds)],
      ['Characters of `expires_at`', count(limits.expiresAtLengthMax)],
      ['Size, as a body, as a record to import and after a patch', inMebibytes(limits.sizeBytesMax)],
    ],
    'What a list or a search may ask for': [
      ['Characters of a search query', count(tokenQueryLimits.queryLengthMax)],
      ['Levels of a search query', count(tokenQueryLimits.queryDepthMax)],
      ['Values of one filter', count(tokenQueryLimits.filterValuesMax)],
      ['Metadata keys to filter by', count(tokenQueryLimits.filterMetadataKeysMax)],
      ['Characters of a cursor', count(tokenQueryLimits.cursorLengthMax)],
      ['Tokens of a page', count(sizeMaxDefault)],
      ['Data of a page, the last token aside', inMebibytes(tokenQueryLimits.pageBytesMax)],
    ],
    'What one request may hold': [
      ['Body', inMebibytes(limits.sizeBytesMax)],
      ['Levels of a JSON document', count(jsonDepthMax)],
      ['Values of a JSON document, members and items at all depths together', count(jsonValuesMax)],
      ['Tokens of a tokenize request', count(tokenizeLimits.tokensMax)],
      ['Levels of a tokenize request around its tokens', count(tokenizeLimits.depthMax)],
      ['Values of a tokenize request beside its tokens', count(tokenizeLimits.valuesMax)],
      ['Metadata pairs and search indexes, over all tokens of a request', count(requestLimits.searchTerms)],
      ['Characters that the expressions of all tokens read together', count(requestLimits.evaluatedCharacters)],
      ['Different tokens that a detokenization or a proxy call refers to', count(tokenizeLimits.referencedTokensMax)],
      ['References to tokens, over body, headers, path and query', count(requestLimits.references)],
      ['Characters that references put into a request', count(insertedCharactersMax)],
      ['Fields of a form or a query with references', count(fieldsMax)],
    ],
  };

  it.each(Object.keys(tables))('tells them in limits.md: %s', async (heading) => {
    expect(rowsIn(sectionOf(await readText('docs/operate/limits.md'), heading)).slice(2)).toEqual(tables[heading]);
  });

  it('leaves none out', () => {
    const table = [tokenLimits, tokenQueryLimits, tokenizeLimits, requestLimits].flatMap((one) => Object.keys(one));
    const others = ['jsonDepthMax', 'jsonValuesMax', 'insertedCharactersMax', 'sizeMaxDefault', 'fieldsMax'];
    // The minimum length of an id is next to the maximum, and the size of a body has its own row.
    const rows = Object.values(tables).flat().length;
    expect(rows).toBe(table.length + others.length);
  });

  it.each([
    ['docs/operate/limits.md', `Request bodies are limited to ${inMebibytes(tokenLimits.sizeBytesMax)}.`],
    ['docs/operate/moving-data.md', `| a record to import     | ${inMebibytes(tokenLimits.sizeBytesMax)};`],
    ['docs/adr/0018-who-authors-a-view.md', `the limit of ${inMebibytes(tokenLimits.sizeBytesMax)}`],
    ['docs/adr/0020-one-budget-a-request.md', `A document has at most ${count(jsonValuesMax)} values`],
    ['docs/adr/0020-one-budget-a-request.md', `Card data has at most ${count(tokenLimits.cardMembersMax)} members`],
    ['docs/adr/0020-one-budget-a-request.md', `at most ${count(tokenizeLimits.valuesMax)} values besides its tokens`],
    [
      'docs/adr/0020-one-budget-a-request.md',
      `with ${count(tokenizeLimits.tokensMax)} tokens: ${tokenLimits.metadataKeysMax} metadata keys, or ${tokenLimits.searchIndexesMax} search indexes`,
    ],
    [
      'docs/compatibility.md',
      `${count(requestLimits.references)} token references, ${count(requestLimits.searchTerms)} metadata pairs and search indexes, ${requestLimits.evaluatedCharacters / 1024 / 1024} Mi characters read by expressions, ${insertedCharactersMax / 1024 / 1024} Mi characters inserted by references, ${count(jsonValuesMax)} JSON values`,
    ],
    ['docs/compatibility.md', `A numbered page with more than ${inMebibytes(tokenQueryLimits.pageBytesMax)} of data`],
    ['docs/compatibility.md', `have at most ${count(tokenLimits.containersLengthMax)} characters together`],
    ['docs/adr/0021-shares-and-bounds.md', `once its tokens have ${inMebibytes(tokenQueryLimits.pageBytesMax)}`],
  ])('says the same elsewhere: %s, %s', async (file, sentence) => {
    expect((await readText(file)).replaceAll(/\s+/g, ' ')).toContain(sentence.replaceAll(/\s+/g, ' '));
  });
});

describe('a running vault', () => {
  let vault: TestVault;
  beforeAll(async () => {
    vault = await TestVault.start();
  });
  afterAll(() => vault.stop());

  it('describes them', async () => {
    const { body } = await vault.request('GET', '/openapi.json');
    const { paths } = withoutReferences(body) as { paths: Record<string, Record<string, unknown>> };
    const [create, patch] = [numbersIn(paths['/tokens']?.['post']), numbersIn(paths['/tokens/{id}']?.['patch'])];
    const shared = {
      'metadata.*.maxLength': tokenLimits.metadataValueLengthMax,
      'containers.maxItems': tokenLimits.containersMax,
      'containers.[].maxLength': tokenLimits.containerLengthMax,
      'search_indexes.maxItems': tokenLimits.searchIndexesMax,
      'search_indexes.[].maxLength': tokenLimits.expressionLengthMax,
      'fingerprint_expression.maxLength': tokenLimits.fingerprintExpressionLengthMax,
      'expires_at.maxLength': tokenLimits.expiresAtLengthMax,
    };
    const ofNew = {
      'id.maxLength': tokenLimits.expressionLengthMax,
      'encrypted.maxLength': tokenLimits.sizeBytesMax,
      'token_intent_id.maxLength': tokenLimits.idLengthMax,
      'type.maxLength': tokenLimits.typeLengthMax,
    };
    expect(create).toEqual({ ...ofNew, ...shared });
    expect(patch).toEqual({ 'type.maxLength': tokenLimits.typeLengthMax, ...shared });
    const query = {
      'query.maxLength': tokenQueryLimits.queryLengthMax,
      'size.minimum': 1,
      'size.maximum': sizeMaxDefault,
    };
    expect(numbersIn(paths['/tokens/search']?.['post'])).toMatchObject(query);
    const cursor = { 'start.maxLength': tokenQueryLimits.cursorLengthMax };
    expect(numbersIn(paths['/v2/tokens/search']?.['post'])).toEqual({ ...query, ...cursor });
  });

  it('checks the same ones in its database, and no others', async () => {
    const { rows } = await vault.database.owner.query<{ name: string; definition: string }>(
      `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
       where contype = 'c' and conrelid::regclass::text ~ '^token(s|_terms|_cvcs|_fingerprints|_counts|_totals|_sets|_set_totals)$'
         and pg_get_constraintdef(oid) ~ '\\d' order by 1`,
    );
    const { idLengthMin, idLengthMax } = tokenLimits;
    expect(rows).toEqual([
      {
        name: 'tokens_id_length',
        definition: `CHECK (((char_length(id) >= ${idLengthMin}) AND (char_length(id) <= ${idLengthMax})))`,
      },
    ]);
  });

  it('has no number of a limit in the functions of its database, which are given theirs', async () => {
    const { rows } = await vault.database.owner.query<{ name: string; hasNumber: boolean }>(
      `select proname as name, pg_get_functiondef(oid) ~ '\\m\\d{2,}\\M' as "hasNumber" from pg_proc
       where pronamespace = 'public'::regnamespace and proname ~ 'token|sets|shelf' order by 1`,
    );
    expect(rows.map(({ name }) => name)).toContain('require_room_for_sets');
    expect(rows.filter(({ hasNumber }) => hasNumber)).toEqual([]);
  });
});

it('keys of verification codes outlive what they sealed last, and no more', () => {
  expect(lifeMs - sealMs).toBe(tokenLimits.cvcLifeSeconds * 1_000);
});

function count(limit: number): string {
  return limit.toLocaleString('en-US');
}

/** Returns every limit in the schema of a body, by its path. */
function numbersIn(operation: unknown): Record<string, unknown> {
  const { content } = (operation as { requestBody: { content: Record<string, { schema: unknown }> } }).requestBody;
  const [media] = Object.values(content);
  const found: Record<string, unknown> = {};
  const look = (schema: unknown, place: readonly string[]): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const {
      properties = {},
      patternProperties = {},
      items,
      anyOf = [],
      ...rest
    } = schema as {
      properties?: object;
      patternProperties?: object;
      items?: unknown;
      anyOf?: unknown[];
    };
    for (const [name, value] of Object.entries(rest)) {
      if (typeof value === 'number') found[[...place, name].join('.')] = value;
    }
    for (const [name, member] of Object.entries(properties)) look(member, [...place, name]);
    for (const member of Object.values(patternProperties)) look(member, [...place, '*']);
    for (const option of anyOf) look(option, place);
    look(items, [...place, '[]']);
    if ('additionalProperties' in rest) look(rest.additionalProperties, [...place, '*']);
  };
  look(media?.schema, []);
  return found;
}
