import { describe, expect, it } from 'vitest';
import { DomainError } from '../errors/domain-error.ts';
import { Sensitive } from '../identity/sensitive.ts';
import { parseSearchQuery } from './parse-search-query.ts';
import type { SearchQuery } from './search-query.ts';

const a = { kind: 'term', field: 'id', value: 'a' } as const;
const b = { kind: 'term', field: 'id', value: 'b' } as const;
const c = { kind: 'term', field: 'id', value: 'c' } as const;

describe('terms', () => {
  it.each(['id', 'type', 'fingerprint', 'created_by', 'modified_by'])('compare %s', (field) => {
    expect(parseSearchQuery(`${field}:x`)).toEqual({ kind: 'term', field, value: 'x' });
  });

  it.each([
    ['data:123-45-6789', '123-45-6789'],
    ['data:-5', '-5'],
    ['data:a:b', 'a:b'],
    ['data:AND', 'AND'],
    ['data:a&&b', 'a&&b'],
    ['data:a[b]', 'a[b]'],
    ['data:Grüße', 'Grüße'],
    ['data:a\\ b', 'a b'],
    ['data:a\\*', 'a*'],
    ['data:\\"a\\"', '"a"'],
    ['data:"multiple words"', 'multiple words'],
    ['data:"(a OR b)"', '(a OR b)'],
    ['data:"*"', '*'],
    ['data:"a\\"b\\\\c"', 'a"b\\c'],
    ['data:""', ''],
    [' \t\r\n data:x \n', 'x'],
  ])('read %j', (text, value) => {
    expect(parseSearchQuery(text)).toEqual({ kind: 'data', value: new Sensitive(value) });
  });
});

describe('metadata', () => {
  it.each([
    ['metadata.user_id:34445', 'user_id', '34445'],
    ['metadata.Name:"Ada LOVELACE"', 'Name', 'ada lovelace'],
    ['metadata.a.b:x', 'a.b', 'x'],
    ['metadata.a\\:b\\ c:x', 'a:b c', 'x'],
    ['metadata.k:""', 'k', ''],
  ])('reads %j', (text, key, value) => {
    expect(parseSearchQuery(text)).toEqual({ kind: 'metadata', key, value });
  });
});

describe('containers', () => {
  it.each([
    ['container:"/customer-123/pii/"', '/customer-123/pii/', false],
    ['container:"/customer-123/*"', '/customer-123/', true],
    ['container:/pci/high/', '/pci/high/', false],
    ['container:/pci/*', '/pci/', true],
    ['container:"/PCI/High_1/"', '/pci/high_1/', false],
    ['container:"/"', '/', false],
    ['container:"/*"', '/', true],
  ])('reads %j', (text, path, isSubtree) => {
    expect(parseSearchQuery(text)).toEqual({ kind: 'container', path, isSubtree });
  });
});

describe('times', () => {
  it.each([
    ['2024-01-01', '2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z'],
    ['"2024-12-31"', '2024-12-31T00:00:00Z', '2025-01-01T00:00:00Z'],
    ['2024-01-01T10:00Z', '2024-01-01T10:00:00Z', '2024-01-01T10:01:00Z'],
    ['2024-01-01T10:00:30', '2024-01-01T10:00:30Z', '2024-01-01T10:00:31Z'],
    ['2024-01-01T10:00:30.5Z', '2024-01-01T10:00:30.500Z', '2024-01-01T10:00:30.501Z'],
    ['2024-01-01T10:00:30+02:00', '2024-01-01T08:00:30Z', '2024-01-01T08:00:31Z'],
    ['[2020-01-01 TO 2020-01-28]', '2020-01-01T00:00:00Z', '2020-01-29T00:00:00Z'],
    ['{2020-01-01 TO 2020-01-28}', '2020-01-02T00:00:00Z', '2020-01-28T00:00:00Z'],
    ['[2020-01-01 TO 2020-01-28}', '2020-01-01T00:00:00Z', '2020-01-28T00:00:00Z'],
    ['{2020-01-01 TO 2020-01-28]', '2020-01-02T00:00:00Z', '2020-01-29T00:00:00Z'],
    ['[2021-01-01 TO 2021-12-31T23:59:59Z]', '2021-01-01T00:00:00Z', '2022-01-01T00:00:00Z'],
    ['[ "2020-01-01 10:00"  TO  2020-01-28T00:00:00.000Z }', '2020-01-01T10:00:00Z', '2020-01-28T00:00:00Z'],
  ])('read %s', (text, from, before) => {
    const range = { kind: 'range', from: new Date(from), before: new Date(before) };
    expect(parseSearchQuery(`created_at:${text}`)).toEqual({ ...range, field: 'created_at' });
    expect(parseSearchQuery(`modified_at:${text}`)).toEqual({ ...range, field: 'modified_at' });
  });

  it('may be open at either end', () => {
    const day = new Date('2022-01-01T00:00:00Z');
    const range = { kind: 'range', field: 'created_at' };
    expect(parseSearchQuery('created_at:{* TO 2022-01-01}')).toEqual({ ...range, before: day });
    expect(parseSearchQuery('created_at:[2022-01-01 TO *]')).toEqual({ ...range, from: day });
    expect(parseSearchQuery('created_at:[* TO *]')).toEqual(range);
  });
});

describe('operators', () => {
  it.each<[string, SearchQuery]>([
    ['id:a AND id:b', { kind: 'and', operands: [a, b] }],
    ['id:a && id:b', { kind: 'and', operands: [a, b] }],
    ['id:a OR id:b', { kind: 'or', operands: [a, b] }],
    ['id:a || id:b', { kind: 'or', operands: [a, b] }],
    ['id:a AND id:b AND id:c', { kind: 'and', operands: [a, b, c] }],
    ['id:a OR id:b AND id:c', { kind: 'or', operands: [a, { kind: 'and', operands: [b, c] }] }],
    ['id:a AND id:b OR id:c', { kind: 'or', operands: [{ kind: 'and', operands: [a, b] }, c] }],
    ['id:a AND (id:b OR id:c)', { kind: 'and', operands: [a, { kind: 'or', operands: [b, c] }] }],
    ['(id:a)AND(id:b)', { kind: 'and', operands: [a, b] }],
    ['((id:a))', a],
    ['NOT id:a', { kind: 'not', operand: a }],
    ['!id:a', { kind: 'not', operand: a }],
    ['! id:a', { kind: 'not', operand: a }],
    ['-id:a', { kind: 'not', operand: a }],
    ['NOT(id:a)', { kind: 'not', operand: a }],
    ['-(id:a OR id:b)', { kind: 'not', operand: { kind: 'or', operands: [a, b] } }],
    ['NOT id:a AND id:b', { kind: 'and', operands: [{ kind: 'not', operand: a }, b] }],
    ['NOT NOT id:a', { kind: 'not', operand: { kind: 'not', operand: a } }],
  ])('bind as they should in %s', (text, query) => {
    expect(parseSearchQuery(text)).toEqual(query);
  });

  it('combine different kinds of terms', () => {
    expect(parseSearchQuery('(type:social_security_number AND !metadata.user_id:1234) OR data:111-11-1111')).toEqual({
      kind: 'or',
      operands: [
        {
          kind: 'and',
          operands: [
            { kind: 'term', field: 'type', value: 'social_security_number' },
            { kind: 'not', operand: { kind: 'metadata', key: 'user_id', value: '1234' } },
          ],
        },
        { kind: 'data', value: new Sensitive('111-11-1111') },
      ],
    });
  });
});

describe('an invalid query', () => {
  const fields =
    'id, type, data, fingerprint, created_by, modified_by, created_at, modified_at, container, metadata.<key>';
  const operand = 'Expected a field, NOT or an opening parenthesis';
  const date = 'Expected an ISO 8601 date or date-time';
  const path = 'Expected a container path such as "/pci/high/", or "/pci/*" for a subtree';
  const wildcard = 'Only container supports wildcards; quote the value';

  it.each([
    ['', `${operand} at offset 0.`],
    ['   ', `${operand} at offset 3.`],
    ['()', `${operand} at offset 1.`],
    ['AND id:a', `${operand} at offset 0.`],
    ['id:a AND', `${operand} at offset 8.`],
    ['id:a OR OR id:b', `${operand} at offset 8.`],
    ['NOT', `${operand} at offset 3.`],
    ['id:a NOT id:b', 'Expected AND or OR at offset 5.'],
    ['id:a -id:b', 'Expected AND or OR at offset 5.'],
    ['id:a id:b', 'Expected AND or OR at offset 5.'],
    ['id:a (id:b)', 'Expected AND or OR at offset 5.'],
    ['(id:a id:b)', 'Expected AND or OR at offset 6.'],
    ['(id:a', 'Expected a closing parenthesis at offset 5.'],
    ['id:a)', 'Unexpected closing parenthesis at offset 4.'],
    ['card', 'Expected a field and a colon, or an uppercase operator at offset 0.'],
    ['id:a and id:b', 'Expected a field and a colon, or an uppercase operator at offset 5.'],
    ['"id":a', 'Unexpected quotation mark at offset 0.'],
    [':a', `Expected one of the fields ${fields} at offset 0.`],
    ['+id:a', `Expected one of the fields ${fields} at offset 0.`],
    ['ID:a', `Expected one of the fields ${fields} at offset 0.`],
    ['tenant_id:a', `Expected one of the fields ${fields} at offset 0.`],
    ['__proto__:a', `Expected one of the fields ${fields} at offset 0.`],
    ['metadata:a', `Expected one of the fields ${fields} at offset 0.`],
    ['metadata.:a', 'Expected a metadata key at offset 0.'],
    ['id:', 'Expected a value at offset 3.'],
    ['id: a', 'Expected a value at offset 3.'],
    ['type:(card OR bank)', 'Expected a value at offset 5.'],
    ['id:"a', 'Unterminated quotation at offset 3.'],
    ['id:"a\\"', 'Unterminated quotation at offset 3.'],
    ['id:"a"b', 'Expected whitespace after a value at offset 6.'],
    ['id:"a"~2', 'Expected whitespace after a value at offset 6.'],
    ['id:a"b"', 'Unexpected quotation mark at offset 4.'],
    ['id:a\\', 'Expected a character after the backslash at offset 5.'],
    ['type:car*', `${wildcard} at offset 5.`],
    ['type:c?rd', `${wildcard} at offset 5.`],
    ['metadata.k:*', `${wildcard} at offset 11.`],
    ['data:[a TO b]', 'Only created_at and modified_at support ranges at offset 5.'],
    ['container:{a TO b}', 'Only created_at and modified_at support ranges at offset 10.'],
    ['container:pci', `${path} at offset 10.`],
    ['container:"/pci"', `${path} at offset 10.`],
    ['container:"pci/"', `${path} at offset 10.`],
    ['container:""', `${path} at offset 10.`],
    ['container:"//"', `${path} at offset 10.`],
    ['container:"/a//b/"', `${path} at offset 10.`],
    ['container:"/a b/"', `${path} at offset 10.`],
    ['container:"/*/a/"', `${path} at offset 10.`],
    ['container:"/pci*"', `${path} at offset 10.`],
    ['container:"/pci/**"', `${path} at offset 10.`],
    ['container:*', `${path} at offset 10.`],
    ['created_at:*', `${date} at offset 11.`],
    ['created_at:2024', `${date} at offset 11.`],
    ['created_at:2024-02-30', `${date} at offset 11.`],
    ['created_at:1/31/2024', `${date} at offset 11.`],
    ['created_at:[2024-01-01 TO 2024-02-30]', `${date} at offset 26.`],
    ['created_at:["*" TO *]', `${date} at offset 12.`],
    ['created_at:[2024-01-01]', 'Expected TO between the ends of a range at offset 22.'],
    ['created_at:[2024-01-01 to *]', 'Expected TO between the ends of a range at offset 23.'],
    ['created_at:[2024-01-01 TO]', 'Expected TO between the ends of a range at offset 23.'],
    ['created_at:[TO *]', 'Expected TO between the ends of a range at offset 15.'],
    ['created_at:[]', 'Expected a value at offset 12.'],
    ['created_at:[* TO ]', 'Expected a value at offset 17.'],
    ['created_at:[* TO *', 'Expected the closing bracket of a range at offset 18.'],
    ['created_at:[* TO * *]', 'Expected the closing bracket of a range at offset 19.'],
    ['created_at:[* TO *]x', 'Expected whitespace after a value at offset 19.'],
    ['id:a\0', 'Unexpected NUL character at offset 4.'],
    ['a'.repeat(201), 'The query must not exceed 200 characters.'],
  ])('such as %j is refused', (text, message) => {
    expect(failureOf(text)).toEqual([message]);
  });

  it('is one nested deeper than 32 levels', () => {
    expect(failureOf(`${'('.repeat(31)}id:a${')'.repeat(31)}`)).toBeUndefined();
    expect(failureOf(`${'('.repeat(32)}id:a${')'.repeat(32)}`)).toEqual(['Nested deeper than 32 levels at offset 32.']);
    expect(failureOf(`${'!'.repeat(32)}id:a`)).toEqual(['Nested deeper than 32 levels at offset 32.']);
    expect(failureOf('!('.repeat(100))).toEqual(['Nested deeper than 32 levels at offset 32.']);
  });

  it('is never quoted in the answer', () => {
    for (const text of ['s3cret', 's3cret:1', 'type:s3cret*', 'container:s3cret', 'created_at:s3cret', 'id:"s3cret']) {
      expect(failureOf(text)?.join()).not.toContain('s3cret');
    }
  });
});

function failureOf(text: string): readonly string[] | undefined {
  try {
    parseSearchQuery(text);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'validation-failed') return error.fields?.['query'];
    throw error;
  }
  return undefined;
}
