import { describe, expect, it } from 'vitest';
import { findConfigWarnings } from './config-warnings.ts';

const linesOf = (environment: Record<string, string>) =>
  findConfigWarnings(environment).map(({ variable, warning }) => `${variable} ${warning}`);

describe('findConfigWarnings', () => {
  it('says nothing about settings, files that they come from, and names of other programs', () => {
    const environment = {
      STRONGROOM_PORT: '8080',
      STRONGROOM_ROOT_KEY_FILE: '/run/secrets/root-key',
      STRONGROOM_ROOT_KEY_PROVIDER: 'file',
      STRONGROOM_AUDIT_ANCHOR_FILE: '/mnt/anchor',
      STRONGROOM_TRANSIT_URL: 'https://vault.internal',
      STRONGROOM_PROXY_HOSTS: 'payments.internal',
      STRONGROOM_OPENID_NAME: 'Acme',
      STRONGER_PORT: '1',
      PATH: '/usr/bin',
    };
    expect(linesOf(environment)).toEqual([]);
  });

  it.each([
    ['STRONGROOM_PUBLIC_ULR', 'STRONGROOM_PUBLIC_URL'],
    ['STRONGROOM_DATABASE_URI', 'STRONGROOM_DATABASE_URL'],
    ['STRONGROOM_TRUSTED_PROXY', undefined],
    ['STRONGROOM_RATELIMITS', 'STRONGROOM_RATE_LIMITS'],
    ['STRONGROOM_PROXY_PROTS', 'STRONGROOM_PROXY_PORTS'],
    ['STRONGROOM_ROOT_KEY_FIEL', 'STRONGROOM_ROOT_KEY_FILE'],
    ['STRONGROOM_POOL', undefined],
    ['STRONGROOM_', undefined],
  ])('warns that %s is no setting', (variable, intended) => {
    const question = intended === undefined ? '' : `; did you mean ${intended}?`;
    expect(linesOf({ [variable]: 'hunter2' })).toEqual([`${variable} is not a setting and changes nothing${question}`]);
  });

  it('leaves out what Kubernetes sets for a service of that name', () => {
    const environment = {
      STRONGROOM_SERVICE_HOST: '10.0.0.1',
      STRONGROOM_SERVICE_PORT_HTTPS: '443',
      STRONGROOM_DB_PORT: 'tcp://10.0.0.2:5432',
      STRONGROOM_DB_PORT_5432_TCP_ADDR: '10.0.0.2',
    };
    expect(linesOf(environment)).toEqual([]);
  });

  it.each(['http://vault.example.com', 'http://localhost.example.com', 'http://10.0.0.1:8080'])(
    'warns about the public address %s',
    (STRONGROOM_PUBLIC_URL) => {
      expect(linesOf({ STRONGROOM_PUBLIC_URL })).toEqual([
        'STRONGROOM_PUBLIC_URL is an http address: keys and data would travel unencrypted; serve clients over https',
      ]);
    },
  );

  it.each(['https://vault.example.com', 'http://localhost:8080', 'http://[::1]:8080', 'not an address', ''])(
    'says nothing about the public address %j',
    (STRONGROOM_PUBLIC_URL) => {
      expect(linesOf({ STRONGROOM_PUBLIC_URL })).toEqual([]);
    },
  );
});
