import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DestinationRefusal } from './destination-refusal.ts';
import { parseDestinationUrl, type UrlPolicy } from './destination-url.ts';

const nothing: UrlPolicy = { hosts: [], ports: [] };
function reasonOf(text: string, policy = nothing): string {
  try {
    parseDestinationUrl(text, policy);
    return 'accepted';
  } catch (error) {
    if (error instanceof DestinationRefusal) return error.reason;
    throw error;
  }
}

describe('parseDestinationUrl', () => {
  it.each([
    ['https://api.example.com', { host: 'api.example.com', port: 443, path: '', query: '' }],
    ['HTTPS://API.Example.com:443/a/b?c=d', { host: 'api.example.com', port: 443, path: '/a/b', query: 'c=d' }],
    ['https://api.example.com:?c', { host: 'api.example.com', port: 443, path: '', query: 'c' }],
    ['https://a_b.example.com/{{ id }}', { host: 'a_b.example.com', port: 443, path: '/{{ id }}', query: '' }],
    ['https://evil.com?@127.0.0.1/', { host: 'evil.com', port: 443, path: '', query: '@127.0.0.1/' }],
  ])('reads %s', (text, expected) => {
    expect(parseDestinationUrl(text, nothing)).toEqual(expected);
  });

  it.each([
    ['http://api.example.com/', 'scheme'],
    ['ftp://api.example.com/', 'form'],
    ['https:api.example.com', 'form'],
    ['https://a.example.com:443:443/', 'form'],
    ['https://user@api.example.com/', 'userinfo'],
    ['https://api.example.com/#x', 'fragment'],
    ['https://[::1]/', 'ip-literal'],
    ['https://0x7f.1/', 'ip-literal'],
    ['https://api.example.com:8443/', 'port'],
    ['https://api%2eexample.com/', 'not-canonical'],
    ['https://api.example.com./', 'trailing-dot'],
    ['https://localhost/', 'single-label'],
    ['https://db.internal/', 'special-name'],
    ['https://xn--7f-.com/', 'host-syntax'],
    ['https://api.example.com/\u00e9', 'raw-character'],
    ['https://api.example.com\\', 'raw-character'],
    [`https://api.example.com/${'x'.repeat(9_000)}`, 'too-long'],
  ])('refuses %s: %s', (text, reason) => {
    expect(reasonOf(text)).toBe(reason);
  });

  it('lets pass what the operator has named, and only that', () => {
    const policy = { hosts: ['localhost', 'db.internal'], ports: [8443] };
    expect(reasonOf('https://localhost:8443/', policy)).toBe('accepted');
    expect(reasonOf('https://db.internal/', policy)).toBe('accepted');
    expect(reasonOf('https://a.db.internal/', policy)).toBe('special-name');
    expect(reasonOf('https://localhost:8444/', policy)).toBe('port');
  });

  it('lets the destination of the process itself pass at its own name and port', () => {
    const ownDestination = { host: 'echo.localhost', port: 8443 };
    const read = (text: string) => reasonOf(text, { ...nothing, ownDestination });
    expect(read('https://ECHO.localhost:8443/a?b')).toBe('accepted');
    expect(read('https://echo.localhost/')).toBe('special-name');
    expect(read('https://echo.localhost:8444/')).toBe('special-name');
    expect(read('https://echo.localhost:08443/')).toBe('special-name');
    expect(read('https://a.echo.localhost:8443/')).toBe('special-name');
    expect(read('https://api.example.com:8443/')).toBe('port');
    expect(read('https://echo.localhost.:8443/')).toBe('trailing-dot');
    expect(read('https://user@echo.localhost:8443/')).toBe('userinfo');
    expect(read('http://echo.localhost:8443/')).toBe('scheme');
  });

  it('sees the host that every other parser sees, or none', () => {
    const text = fc.oneof(
      fc.webUrl(),
      fc.string().map((host) => `https://${host}/`),
      fc.stringMatching(/^https:\/\/[a-z0-9.@:%\\[\]#?/-]{0,30}$/),
    );
    fc.assert(
      fc.property(text, (url) => {
        if (reasonOf(url) !== 'accepted') return;
        const { host } = parseDestinationUrl(url, nothing);
        expect(new URL(url).hostname).toBe(host);
      }),
      { numRuns: 5_000 },
    );
  });
});
