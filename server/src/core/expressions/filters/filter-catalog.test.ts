import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toJsonText } from '../../json/json-text.ts';
import { ExactNumber, type JsonValue } from '../../json/json-value.ts';
import { parseJson } from '../../json/parse-json.ts';
import { ExpressionError } from '../expression-error.ts';
import type { ExpressionTools } from '../expression-tools.ts';
import { compileTemplate, evaluateTemplate } from '../template.ts';
import { filterCatalog } from './filter-catalog.ts';

const tools: ExpressionTools = {
  hmac: (algorithm, key, message) => createHmac(algorithm.replace('-', ''), key).update(message).digest(),
  randomInt: (maxExclusive) => maxExclusive - 1,
};

const apply = (chain: string, data: JsonValue) =>
  evaluateTemplate(compileTemplate(`{{ data | ${chain} }}`), { data }, tools);

const reasonOf = (action: () => unknown) => {
  try {
    return action();
  } catch (error) {
    return error instanceof ExpressionError ? error.reason : error;
  }
};

const card = { number: '3622720627165567', expiration_month: 10, expiration_year: 2028 };
const shop = {
  books: [
    { title: 'Moby Dick', price: 8.99 },
    { title: 'The Lord of the Rings', price: 22.99 },
  ],
  bicycle: { color: 'red', price: 19.95 },
};

describe('filters', () => {
  it.each<[string, JsonValue, JsonValue]>([
    ['stringify', 'plain "text"', 'plain "text"'],
    ['stringify', 8.99, '8.99'],
    ['stringify', true, 'true'],
    ['stringify', null, null],
    ['stringify', { a: [1, 'b', null] }, '{"a":[1,"b",null]}'],
    ['json_stringify', shop.bicycle, '{"color":"red","price":19.95}'],

    ["json: '$.bicycle.color'", shop, 'red'],
    ["json: '$.books[0].title'", shop, 'Moby Dick'],
    ['json: "$[\'bicycle\']"', shop, shop.bicycle],
    ['json: $.bicycle.price', shop, 19.95],
    ["json: '$.nothing.here'", shop, null],

    ['last4', '111-22-3333', '3333'],
    ['last4', '67', '67'],
    ['last4', 36227206271667, '1667'],
    ['slice: 12, 2 | last4', '36227206271667', '67'],

    ['reveal_last: 6', '36227206271667', 'XXXXXXXX271667'],
    ['reveal_last: 4', '123-45-6789', 'XXX-XX-6789'],
    ['reveal_last: 4', 'Sensitive Value', 'XXXXXXXXXXXalue'],
    ["reveal_last: 3, '#'", '36227206271667', '###########667'],
    ['reveal_last: 4', '1234', '1234'],
    ['reveal_last: 0', '1234', 'XXXX'],

    ['reveal', '3622-7206', 'XXXXXXXXX'],
    ['reveal: 6', '3622-7206-2716-5567', '3622-7XXXXXXXXXXXXX'],
    ['reveal: 7, 5', '3622-7206-2716-5567', '3622-72XXXXXXX-5567'],
    ["reveal: 7, 5, '#'", '3622-7206-2716-5567', '3622-72#######-5567'],
    ["reveal: 7, 4, '#', '-'", '3622-7206-2716-5567', '3622-72##-####-5567'],
    ['reveal: 10, 9', '3622-7206-2716-5567', 'XXXXXXXXXXXXXXXXXXX'],

    ["card_mask: 'true', 'true', '#'", '3622720627165567', '36227206####5567'],
    ['card_mask', '3622720627165567', 'XXXXXXXXXXXXXXXX'],
    ['card_mask: true, false', '3622720627165567', '36227206XXXXXXXX'],
    ["card_mask: 'false', 'true', 'X', '-'", '3622-7206-2716-5567', 'XXXX-XXXX-XXXX-5567'],
    ["card_mask: 'true', 'true', '#', '-'", '3622-7206-2716-5567', '3622-7206-####-5567'],
    ['card_mask: true, true', '378282246310005', '378282XXXXX0005'],

    ['card_bin', '3622720627165567', '36227206'],
    ['card_bin', '378282246310005', '378282'],
    ["card_bin: '-'", '4242-4242-4242-4242', '42424242'],

    ["card_exp: 'MM'", card, '10'],
    ["card_exp: 'MMYY'", card, '1028'],
    ["card_exp: 'MM/YY'", card, '10/28'],
    ["card_exp: 'YYYY-MM'", card, '2028-10'],
    ['card_exp: YYYYMM', card, '202810'],
    ["card_exp: 'MM/YYYY'", { expiration_month: '4', expiration_year: '2031' }, '04/2031'],
    ["card_exp: 'YYYY'", { expiration_year: 2031 }, '2031'],
    ["card_exp: 'MM/YY'", { expiration_year: 2031 }, null],

    ["pad_left: 6, '0'", '1234', '001234'],
    ["pad_right: 6, '0'", '1234', '123400'],
    ["pad_left: 2, '0'", '1234', '1234'],
    ["pad_left: 2, '0'", 4, '04'],

    ['to_string', 3.14159, '3.14159'],
    ['to_string', false, 'false'],
    ['to_string', null, null],
    ['to_number', '42', 42],
    ['to_number', '3.14159', 3.14159],
    ['to_number', '04', 4],
    ['to_number', ' -07.5 ', -7.5],
    ['to_number', '+1', 1],
    ['to_number', 12, 12],
    ['to_number', null, null],
    ['to_boolean', 'true', true],
    ['to_boolean', 'False', false],
    ['to_boolean', true, true],
    ['to_boolean', null, null],

    [
      "hmac: 'sha-256', 'secretKeyValue' | to_base16",
      '4242424242424242',
      '90A0050E90515101DCAD0F68955370CCA81F6DCB9D299E7E0585CC9746716D9B',
    ],
    [
      "hmac: nil, 'secretKeyValue' | to_base16",
      '4242424242424242',
      '90A0050E90515101DCAD0F68955370CCA81F6DCB9D299E7E0585CC9746716D9B',
    ],
    [
      "hmac: 'SHA-256', 'secretKeyValue' | to_base64",
      '4242424242424242',
      'kKAFDpBRUQHcrQ9olVNwzKgfbcudKZ5+BYXMl0ZxbZs=',
    ],
    ["hmac: 'sha-1', 'k' | to_base16 | downcase | slice: 0, 4", null, null],

    ["split: '@' | last", 'john.doe@example.com', 'example.com'],
    ["split: ' ' | last | upcase", 'John Doe', 'DOE'],
    ["split: ','", 'a,,b,,', ['a', '', 'b']],
    ["split: ' '", '  a   b ', ['a', 'b']],
    ["split: ''", 'añ😀', ['a', 'ñ', '😀']],
    ['first', ['a', 'b'], 'a'],
    ['last', [], null],
    ['upcase', 'doe', 'DOE'],
    ['downcase', 'DOE', 'doe'],
    ['slice: 0', 'Liquid', 'L'],
    ['slice: 2, 5', 'Liquid', 'quid'],
    ['slice: -3, 2', 'Liquid', 'ui'],
    ['slice: -9, 2', 'Liquid', ''],
    ['slice: 99', 'Liquid', ''],
    ['slice: 1, 2', ['a', 'b', 'c', 'd'], ['b', 'c']],
    ['to_string | slice: -2, 2', 2028, '28'],
    ["append: '.com'", 'example', 'example.com'],
    ["prepend: 'www.'", 'example', 'www.example'],
    ["remove: '-'", '123-45-6789', '123456789'],
    ["remove: ''", 'abc', 'abc'],
    ["replace: '-', '/'", '1-2-3', '1/2/3'],
    ["replace: '-'", '1-2-3', '123'],
    ["replace: '1', '$&$&'", '1', '$&$&'],
  ])('%s turns %j into %j', (chain, data, expected) => {
    expect(apply(chain, data)).toEqual(expected);
  });

  it('leaves null alone, whatever the filter', () => {
    const chains = [
      'reveal_last: 4',
      'reveal: 1',
      'card_mask',
      'card_bin',
      "card_exp: 'MM'",
      "pad_left: 3, '0'",
      'last4',
      "json: '$'",
      'first',
      'slice: 0',
      'upcase',
      "append: 'x'",
      'alias_card',
      "hmac: '', 'k' | to_base64",
    ];
    for (const chain of chains) expect(apply(chain, null)).toBeNull();
  });

  it.each<[string, JsonValue, string]>([
    ["json: '$.books[*].title'", shop, 'several-matches'],
    ["json: '$..title'", shop, 'bad-json-path'],
    ['reveal_last: 4', { number: '4242' }, 'wrong-value'],
    ['reveal: 1', ['a'], 'wrong-value'],
    ['last4', shop, 'wrong-value'],
    ['card_bin', '123456', 'wrong-value'],
    ["card_exp: 'MM'", '10', 'wrong-value'],
    ["card_exp: 'MM'", { expiration_month: 13 }, 'wrong-value'],
    ["card_exp: 'YYYY'", { expiration_year: 28 }, 'wrong-value'],
    ["card_exp: 'MM'", { expiration_month: {} }, 'wrong-value'],
    ["card_exp: 'DD'", card, 'bad-argument'],
    ["card_exp: '-'", card, 'bad-argument'],
    ['card_exp', card, 'wrong-argument-count'],
    ['to_string', shop, 'wrong-value'],
    ['to_number', 'abc', 'wrong-value'],
    ['to_number', '', 'wrong-value'],
    ['to_number', '1_000', 'wrong-value'],
    ['to_number', '0x10', 'wrong-value'],
    ['to_number', 'Infinity', 'wrong-value'],
    ['to_number', true, 'wrong-value'],
    ['to_boolean', 'yes', 'wrong-value'],
    ['to_boolean', 1, 'wrong-value'],
    ['first', 'text', 'wrong-value'],
    ["split: ','", shop, 'wrong-value'],
    ["hmac: 'md5', 'k' | to_base16", 'x', 'bad-argument'],
    ["hmac: 'sha-256', '' | to_base16", 'x', 'bad-argument'],
    ["hmac: 'k' | to_base16", 'x', 'wrong-argument-count'],
    ["hmac: 'sha-256', 'k'", 'x', 'bytes-not-encoded'],
    ["hmac: 'sha-256', 'k' | upcase | to_base16", 'x', 'bytes-not-encoded'],
    ['to_base64', 'x', 'bytes-expected'],
    ["hmac: 'sha-256', 'k' | to_base16 | to_base16", 'x', 'bytes-expected'],
    ['reveal_last', 'x', 'wrong-argument-count'],
    ['reveal_last: 1, X, Y', 'x', 'wrong-argument-count'],
    ['reveal_last: -1', 'x', 'bad-argument'],
    ['reveal_last: four', 'x', 'bad-argument'],
    ['reveal_last: 4.5', 'x', 'bad-argument'],
    ['reveal_last: 9999999999', 'x', 'bad-argument'],
    ["reveal_last: 1, ''", 'x', 'bad-argument'],
    ["reveal_last: 1, 'XY'", 'x', 'bad-argument'],
    ['card_mask: yes', 'x', 'bad-argument'],
    ['pad_left: 4', 'x', 'wrong-argument-count'],
    ["pad_left: 4, ''", 'x', 'bad-argument'],
    ["replace: '', 'x'", 'abc', 'bad-argument'],
    ['last4: 2', 'x', 'wrong-argument-count'],
    ['nosuchfilter', 'x', 'unknown-filter'],
    ['REVEAL_LAST: 4', 'x', 'unknown-filter'],
  ])('%s on %j is refused as %s', (chain, data, reason) => {
    expect(reasonOf(() => apply(chain, data))).toBe(reason);
  });

  it.each(['12345678901234567890', '12345678901234567891', '1e400', '-0', '1.0', '0.10'])(
    'keeps the number %s exactly',
    (text) => {
      const data = parseJson(`{"n":${text}}`, { depthMax: 4 });
      const evaluate = (template: string) => evaluateTemplate(compileTemplate(template), { data }, tools);

      expect(evaluate('{{ data.n }}')).toEqual(new ExactNumber(text));
      expect(evaluate('{{ data.n | stringify }}')).toBe(text);
      expect(evaluate('{{ data.n | to_string }}')).toBe(text);
      expect(evaluate('{{ data.n | to_number }}')).toEqual(new ExactNumber(text));
      expect(evaluate('{{ data.n | to_string | to_number | stringify }}')).toBe(text);
      expect(evaluate('{{ data | stringify }}')).toBe(`{"n":${text}}`);
      expect(evaluate('#{{ data.n }}')).toBe(`#${text}`);
      expect(evaluate('#{{ data }}')).toBe(`#{"n":${text}}`);
      expect(evaluate("{{ data | json: '$.n' | append: '' }}")).toBe(text);
      expect(evaluate("{{ data.n | hmac: '', 'k' | to_base16 }}")).toBe(
        createHmac('sha256', 'k').update(text).digest('hex').toUpperCase(),
      );
    },
  );

  it('does not look into an exact number', () => {
    const data = parseJson('{"n":1.0}', { depthMax: 4 });
    expect(evaluateTemplate(compileTemplate('{{ data.n.text }}'), { data }, tools)).toBeNull();
    expect(apply("json: '$.n.text'", data)).toBeNull();
    expect(apply("json: '$.n.*'", data)).toBeNull();
  });

  it('turns text into the number that JSON would write for it', () => {
    expect(toJsonText(apply('to_number', '0012345678901234567890.10'))).toBe('12345678901234567890.10');
    expect(toJsonText(apply('to_number', '-000'))).toBe('-0');
  });

  it('has no filter under an inherited name', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'size', 'get']) {
      expect(filterCatalog.has(name)).toBe(false);
      expect(reasonOf(() => apply(name, 'x'))).toBe('unknown-filter');
    }
  });
});
