import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { findTargetProblem } from '../edge/first-look.ts';

const judge = (url: string, hosts: readonly string[], httpVersion = '1.1') =>
  findTargetProblem({ httpVersion, rawHeaders: hosts.flatMap((host) => ['Host', host]) } as FastifyRequest['raw'], url);

describe('findTargetProblem', () => {
  it.each([
    ['/roles', ['vault.example.com']],
    ['/roles', ['vault.example.com:8443']],
    ['/roles', ['127.0.0.1:80']],
    ['/roles', ['[::1]:8080']],
    ['/roles', ['strongroom_server']],
    ['*', ['vault']],
    ['http://vault/roles', ['vault']],
    ['HTTPS://VAULT:8443/roles', ['vault:8443']],
    ['http://vault?x', ['vault']],
  ])('takes %s for %j', (url, hosts) => {
    expect(judge(url, hosts)).toBeUndefined();
  });

  it('takes HTTP/1.0 without a host', () => {
    expect(judge('/roles', [], '1.0')).toBeUndefined();
  });

  it.each([
    ['/roles', []],
    ['/roles', ['']],
    ['/roles', [':443']],
    ['/roles', ['a', 'b']],
    ['/roles', ['a', 'a']],
    ['/roles', ['a', '']],
    ['/roles', ['a, b']],
    ['/roles', ['a b']],
    ['/roles', ['user@a']],
    ['/roles', ['a/b']],
    ['/roles', ['a:b']],
    ['/roles', ['a:123456']],
    ['/roles', ['[::1']],
    ['/roles', ['b\u00fccher']],
    ['http://evil/roles', ['vault']],
    ['http://vault:80/roles', ['vault']],
    ['http://vault@evil/roles', ['vault']],
    ['http:///roles', ['']],
    ['ftp://vault/roles', ['vault']],
    ['vault:443', ['vault:443']],
  ])('refuses %s for %j', (url, hosts) => {
    expect(judge(url, hosts)?.code).toBe('malformed-request');
  });
});
