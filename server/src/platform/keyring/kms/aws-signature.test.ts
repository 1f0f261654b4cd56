import { describe, expect, it } from 'vitest';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { signAwsRequest } from './aws-signature.ts';

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: new Sensitive('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'),
};
const scope = { region: 'us-east-1', service: 'service', now: new Date('2015-08-30T12:36:00Z') };
const host = { host: 'example.amazonaws.com' };

/** The cases that POST to `/`, from the test suite that AWS published for Signature Version 4. */
const published: [string, { headers: Record<string, string>; body: string }, string][] = [
  ['post-vanilla', { headers: host, body: '' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'post-x-www-form-urlencoded',
    { headers: { ...host, 'content-type': 'application/x-www-form-urlencoded' }, body: 'Param1=value1' },
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
  [
    'post-header-key-sort',
    { headers: { 'my-header1': 'value1', ...host }, body: '' },
    'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  ],
];

describe('signAwsRequest', () => {
  it.each(published)('signs %s as AWS does', (_, request, signature) => {
    const { authorization } = signAwsRequest(request, scope, credentials);
    expect(authorization).toContain('Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ');
    expect(authorization?.endsWith(`Signature=${signature}`)).toBe(true);
  });

  it('signs a session token with the rest', () => {
    const sessionToken = new Sensitive('a token');
    const signed = signAwsRequest({ headers: host, body: '' }, scope, { ...credentials, sessionToken });
    expect(signed['x-amz-security-token']).toBe('a token');
    expect(signed['authorization']).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
  });

  it('sends the time that it signs and keeps the secret to itself', () => {
    const signed = signAwsRequest({ headers: host, body: '{}' }, scope, credentials);
    expect(signed['x-amz-date']).toBe('20150830T123600Z');
    expect(JSON.stringify(signed)).not.toContain(credentials.secretAccessKey.reveal());
  });
});
