import { describe, expect, it } from 'vitest';
import { decodeKeyId, generateApiKey, isCellName, parseApiKey } from './api-key.ts';

describe('an API key', () => {
  it.each([
    ['test', 'pvt'],
    ['prod', 'pub'],
    ['test', 'mgt'],
    ['prod', 'sess'],
  ] as const)('for %s %s is short, plain and reads back', (environment, kind) => {
    for (let round = 0; round < 200; round += 1) {
      const key = generateApiKey(environment, kind);
      expect(key.text).toMatch(
        new RegExp(`^key_${environment}_${kind}_[1-9A-HJ-NP-Za-km-z]{66}_[1-9A-HJ-NP-Za-km-z]{6}$`),
      );
      expect(key.text.length).toBeLessThanOrEqual(100);
      expect(parseApiKey(key.text)).toEqual({ cell: undefined, kind, id: key.id, secret: new Uint8Array(key.secret) });
    }
  });

  it.each(['a', 'eu1', 'abcdefghijk9'])('of the cell %s names it, and reads back', (cell) => {
    for (const kind of ['pvt', 'pub', 'mgt', 'sess'] as const) {
      const key = generateApiKey('prod', kind, cell);
      expect(key.text).toMatch(
        new RegExp(`^key_prod_${cell}_${kind}_[1-9A-HJ-NP-Za-km-z]{66}_[1-9A-HJ-NP-Za-km-z]{6}$`),
      );
      expect(key.text.length).toBeLessThanOrEqual(100);
      expect(parseApiKey(key.text)).toEqual({ cell, kind, id: key.id, secret: new Uint8Array(key.secret) });
    }
  });

  it.each(['', 'EU1', '1eu', 'pvt', 'sess', 'abcdefghijk12', 'eu-1', 'é'])('of no cell %j', (cell) => {
    expect(isCellName(cell)).toBe(false);
    expect(parseApiKey(generateApiKey('test', 'pvt', cell).text)).toBeUndefined();
  });

  it('cannot be moved to another cell without its checksum', () => {
    const { text } = generateApiKey('test', 'pvt', 'eu1');
    expect(parseApiKey(text.replace('_eu1_', '_us1_'))).toBeUndefined();
    expect(parseApiKey(text.replace('_eu1_', '_'))).toBeUndefined();
  });

  it('is refused with any single character changed, without a look-up', () => {
    const { text } = generateApiKey('test', 'pvt');
    for (let index = 0; index < text.length; index += 1) {
      const changed = text[index] === 'x' ? 'y' : 'x';
      expect(parseApiKey(text.slice(0, index) + changed + text.slice(index + 1))).toBeUndefined();
    }
  });

  it.each(['', 'key', 'key____', 'key_test_pvt__', `key_test_pvt_${'1'.repeat(66)}_111111`, '_____', '_'.repeat(500)])(
    'is not %j',
    (text) => {
      expect(parseApiKey(text)).toBeUndefined();
    },
  );

  it('is refused with a part missing, doubled or cut', () => {
    const { text } = generateApiKey('prod', 'mgt');
    for (let length = 0; length < text.length; length += 1) expect(parseApiKey(text.slice(0, length))).toBeUndefined();
    expect(parseApiKey(`${text}_${text}`)).toBeUndefined();
    expect(parseApiKey(` ${text}`)).toBeUndefined();
  });

  it('tells its id without its secret', () => {
    for (let round = 0; round < 200; round += 1) {
      const { id, text } = generateApiKey('prod', 'pub');
      const [, , , random = ''] = text.split('_');
      expect(decodeKeyId(random.slice(0, 22))).toBe(id);
    }
  });

  it.each([
    '',
    '1',
    '1'.repeat(21),
    '1'.repeat(23),
    '0'.repeat(22),
    'z'.repeat(22),
    ` ${'1'.repeat(21)}`,
    'é'.repeat(22),
  ])('has no id in %j', (text) => {
    expect(decodeKeyId(text)).toBeUndefined();
  });
});

describe('the part of a key that names it', () => {
  it('gives its id', () => {
    const { id, text } = generateApiKey('test', 'pub');
    expect(decodeKeyId(text.split('_')[3]?.slice(0, 22) ?? '')).toBe(id);
  });

  it.each(['', 'x', '2'.repeat(21), '2'.repeat(23), 'z'.repeat(22), `${'2'.repeat(21)}0`])('is not %j', (text) => {
    expect(decodeKeyId(text)).toBeUndefined();
  });
});
