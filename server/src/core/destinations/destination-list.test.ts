import { describe, expect, it } from 'vitest';
import { isListed, parseDestinationEntry } from './destination-list.ts';

describe('parseDestinationEntry', () => {
  it.each([
    ['api.example.com', 'api.example.com'],
    ['API.Example.COM', 'api.example.com'],
    ['*.example.com', '*.example.com'],
    ['vault', 'vault'],
    ['a_b.example', 'a_b.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ])('reads %s', (text, entry) => {
    expect(parseDestinationEntry(text)).toBe(entry);
  });

  it.each(
    [
      '',
      '.',
      '*',
      '*.',
      '*.com',
      '**.example.com',
      'a.*.com',
      '*a.example.com',
      'a..b',
      '.a',
      'a.',
      '-a.b',
      'a-.b',
    ].concat([
      'https://a.b',
      'a.b/c',
      'a.b:443',
      '10.0.0.1',
      'a.0x7f',
      '[::1]',
      'a b.c',
      'bücher.example',
      `${'a'.repeat(64)}.b`,
      `${'a.'.repeat(127)}b`,
    ]),
  )('refuses %j', (text) => {
    expect(parseDestinationEntry(text)).toBeUndefined();
  });
});

describe('isListed', () => {
  it.each([
    ['api.example.com', true],
    ['a.wild.example', true],
    ['b.wild.example', true],
    ['wild.example', false],
    ['a.b.wild.example', false],
    ['example.com', false],
    ['xapi.example.com', false],
    ['api.example.com.evil.example', false],
    ['vault', false],
  ])('%s: %j', (host, expected) => {
    expect(isListed(host, ['api.example.com', '*.wild.example'])).toBe(expected);
  });

  it('has no host in an empty list', () => {
    expect(isListed('api.example.com', [])).toBe(false);
  });
});
