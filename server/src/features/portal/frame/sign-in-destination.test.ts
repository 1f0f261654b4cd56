import { describe, expect, it } from 'vitest';
import { toDestinationPath, toSignInDestination, toSignInPath } from './sign-in-destination.ts';

const pathOf = (next: unknown) =>
  toDestinationPath(toSignInDestination((name) => (name === 'next' ? next : undefined)));

describe('after signing in, somebody continues', () => {
  it.each([
    '/portal/audit?outcome=denied',
    '/portal/audit?from=2026-11-01T00:00:00.000Z&to=2026-11-02T00:00:00.000Z&operation=read',
    '/portal/tokens/example-card',
    '/portal/tokens/a%20b%2Fc',
    '/portal/tokens?query=type%3Acard+AND+metadata.customer%3A%22C-1%22',
    '/portal/applications/0a1b2c3d-1b2c-4d3e-8f90-a1b2c3d4e5f6',
    '/portal/account',
    '/portal/approvals',
    '/portal/exports',
    '/portal/',
  ])('at %s', (next) => {
    expect(pathOf(next)).toBe(next);
    expect(new URL(toSignInPath(next), 'http://vault').searchParams.get('next') ?? '/portal/').toBe(next);
  });

  it.each([
    '//evil.example',
    '///evil.example/portal/',
    'https://evil.example/portal/',
    'https:/portal/audit',
    '/portal/../x',
    '/portal/./audit',
    '/portal/tokens/..',
    '/portal/tokens/../../x',
    '/portal/tokens/%2e%2e',
    '/portal/tokens/.%2E',
    '/portal/tokens/%2e%2e/%2e%2e/x',
    '/portal/tokens/%zz%2e%2e/',
    '/%70ortal/audit',
    '%2F%2Fevil.example',
    '/portal%2F..%2Fx',
    String.raw`/\evil.example`,
    String.raw`\\evil.example`,
    String.raw`/portal/\evil.example`,
    String.raw`/portal/tokens/..\..\x`,
    '/portal/audit\r\nset-cookie: a=b',
    '/portal/audit\n',
    '/\t/evil.example',
    '/portal/\u0000audit',
    '/portal/audit?x=\u0001',
    '/portal/аudit',
    ' /portal/audit',
    '/portal/audit ',
    '/portal/audit#there',
    '/portal/audit?a=<script>',
    '/portal/audit?a="onload',
    '/portal//evil.example',
    '/portal/@evil.example',
    '/portal/tokens/a/b',
    '/portal/tokens/',
    '/portal/sign-in',
    '/portal/sign-out',
    '/portal/links/secret',
    '/portal/api/me',
    '/portal/nowhere',
    '/portal/nowhere/x',
    '/portal',
    '/tokens',
    '/',
    '',
    `/portal/audit?a=${'x'.repeat(1_000)}`,
    ['/portal/audit'],
    { toString: () => '/portal/audit' },
    undefined,
  ])('at the portal, not at %j', (next) => {
    expect(pathOf(next)).toBe('/portal/');
    expect(toSignInPath(next)).toBe('/portal/sign-in');
  });

  it('at an invitation rather than a page', () => {
    const given = { invitation: 'x'.repeat(43), next: '/portal/audit' };
    expect(toDestinationPath(given)).toBe(`/portal/invitations/${given.invitation}`);
  });
});
