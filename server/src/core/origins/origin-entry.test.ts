import { describe, expect, it } from 'vitest';
import { parseOriginEntry } from './origin-entry.ts';

const longestName = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(47)}.example`;

describe('parseOriginEntry', () => {
  it.each([
    ['https://shop.example', 'https://shop.example'],
    ['HTTPS://Shop.EXAMPLE', 'https://shop.example'],
    ['https://shop.example:443', 'https://shop.example'],
    ['https://shop.example:0443', 'https://shop.example'],
    ['https://shop.example:80', 'https://shop.example:80'],
    ['https://shop.example:8443', 'https://shop.example:8443'],
    ['https://shop.example:65535', 'https://shop.example:65535'],
    ['https://localhost', 'https://localhost'],
    ['https://a_b.example', 'https://a_b.example'],
    ['https://xn--bcher-kva.example', 'https://xn--bcher-kva.example'],
    ['https://XN--BCHER-KVA.example', 'https://xn--bcher-kva.example'],
    ['https://10.0.0.1', 'https://10.0.0.1'],
    ['https://[2001:DB8::1]:8443', 'https://[2001:db8::1]:8443'],
    ['https://[2001:db8:0:0:0:0:0:1]', 'https://[2001:db8::1]'],
    ['http://localhost', 'http://localhost'],
    ['http://LocalHost:3000', 'http://localhost:3000'],
    ['http://localhost:80', 'http://localhost'],
    ['http://localhost:443', 'http://localhost:443'],
    ['http://127.0.0.1:5173', 'http://127.0.0.1:5173'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['http://[0:0:0:0:0:0:0:1]', 'http://[::1]'],
    [`https://${longestName}`, `https://${longestName}`],
  ])('reads %s', (text, entry) => {
    expect(parseOriginEntry(text)).toBe(entry);
    expect(parseOriginEntry(entry)).toBe(entry);
  });

  it.each(['', 'null', 'NULL', '*', 'shop.example', 'https:', 'https://', 'https:shop.example', '//shop.example'])(
    'refuses what is no origin: %j',
    (text) => {
      expect(parseOriginEntry(text)).toBeUndefined();
    },
  );

  it.each([
    'https://shop.example/',
    'https://shop.example/pay',
    'https://shop.example?',
    'https://shop.example?a',
    'https://shop.example#',
    'https://me@shop.example',
    'https://me:secret@shop.example',
    String.raw`https:\\shop.example`,
    String.raw`https://shop.example\pay`,
  ])('refuses more than an origin: %j', (text) => {
    expect(parseOriginEntry(text)).toBeUndefined();
  });

  it.each(['https://*', 'https://*.shop.example', 'https://shop.*', 'https://shop.example:*', '*://shop.example'])(
    'refuses the wildcard %j',
    (text) => {
      expect(parseOriginEntry(text)).toBeUndefined();
    },
  );

  it.each(['https://shop.example:', 'https://shop.example:65536', 'https://shop.example:x', 'https://shop.example:-1'])(
    'refuses the port of %j',
    (text) => {
      expect(parseOriginEntry(text)).toBeUndefined();
    },
  );

  it.each([
    'https://shop..example',
    'https://.shop.example',
    'https://shop.example.',
    'https://-shop.example',
    'https://shop-.example',
    'https://bücher.example',
    'https://\u212aelvin.example',
    'https://shop%2eexample',
    'https://127.1',
    'https://0x7f.1',
    'https://2130706433',
    'https://256.0.0.1',
    'https://[::1',
    'https://[::1]x',
    'https://[::g]',
    'https://[fe80::1%25eth0]',
    `https://${'a'.repeat(64)}.example`,
  ])('refuses the host of %j', (text) => {
    expect(parseOriginEntry(text)).toBeUndefined();
  });

  it.each([
    'http://shop.example',
    'http://127.0.0.2',
    'http://127.1',
    'http://[::ffff:127.0.0.1]',
    'http://localhost.example',
    'http://shop.localhost',
  ])('refuses http beyond loopback: %j', (text) => {
    expect(parseOriginEntry(text)).toBeUndefined();
  });

  it.each(['ftp://shop.example', 'ws://localhost', 'file://', 'blob:https://shop.example', 'javascript://localhost'])(
    'refuses the scheme of %j',
    (text) => {
      expect(parseOriginEntry(text)).toBeUndefined();
    },
  );

  it.each([
    ' https://shop.example',
    'https://shop.example ',
    'https://shop.example\n',
    'https://sh\top.example',
    "https://shop.example;'self'",
    'https://shop.example,https://b.example',
    'https://a.example https://b.example',
  ])('refuses what a header could not carry as one source: %j', (text) => {
    expect(parseOriginEntry(text)).toBeUndefined();
  });

  it('refuses more than 255 characters, whatever a URL parser would leave of them', () => {
    expect(parseOriginEntry(`https://[${'0'.repeat(4)}::1]:${'0'.repeat(300)}443`)).toBeUndefined();
    expect(parseOriginEntry(`https://${longestName}s`)).toBeUndefined();
  });
});
