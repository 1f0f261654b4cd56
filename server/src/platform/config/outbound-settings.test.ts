import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { outbound } from './outbound-settings.ts';
import type { Environment } from './setting.ts';

const tenantId = '0b1c8f0e-6d5c-4a52-9d0a-5f0f5a3f5c11';
let directory: string;
const pem = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
const key = '-----BEGIN EC PRIVATE KEY-----\nsecret\n-----END EC PRIVATE KEY-----\n';
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-outbound-'));
  await writeFile(path.join(directory, 'whole.pem'), pem + key);
  await writeFile(path.join(directory, 'half.pem'), pem);
});
afterAll(() => rm(directory, { recursive: true }));

const read = (environment: Environment) => outbound.read(environment);

describe('settings of the proxy', () => {
  it('name each exception', () => {
    const config = read({
      STRONGROOM_PROXY_CA: pem,
      STRONGROOM_PROXY_CLIENT_CERTIFICATES: `${tenantId.toUpperCase()}@API.provider.com=${path.join(directory, 'whole.pem')}`,
      STRONGROOM_PROXY_PRIVATE_RANGES: '10.20.0.0/16, fd12::/32',
      STRONGROOM_PROXY_HOSTS: 'payments.internal,vault',
      STRONGROOM_PROXY_PORTS: '8443,9443',
      STRONGROOM_PROXY_RESOLVERS: '10.0.0.2,127.0.0.1:5353,[fd12::2]:5353,fd12::3',
      STRONGROOM_PROXY_REQUIRE_ALLOWED_DESTINATIONS: 'true',
      STRONGROOM_PROXY_CALLS_PER_TENANT: '7',
    });
    expect(config).toMatchObject({
      authorities: pem,
      clientCertificates: [{ tenantId, host: 'api.provider.com' }],
      privateRanges: [{ text: '10.20.0.0/16' }, { text: 'fd12::/32' }],
      hosts: ['payments.internal', 'vault'],
      ports: [8443, 9443],
      resolvers: ['10.0.0.2', '127.0.0.1:5353', '[fd12::2]:5353', 'fd12::3'],
      requiresDestinationList: true,
      callsPerTenantMax: 7,
    });
    expect(config.clientCertificates[0]?.pem.reveal()).toBe(pem + key);
    expect(JSON.stringify(config)).not.toContain('secret');
  });

  it.each([
    ['STRONGROOM_PROXY_CA', 'no certificate'],
    ['STRONGROOM_PROXY_CLIENT_CERTIFICATES', 'api.provider.com'],
    ['STRONGROOM_PROXY_CLIENT_CERTIFICATES', `${tenantId}@api.provider.com`],
    ['STRONGROOM_PROXY_CLIENT_CERTIFICATES', `${tenantId}@api.provider.com=/nowhere.pem`],
    ['STRONGROOM_PROXY_CLIENT_CERTIFICATES', `${tenantId}@*.provider.com=half.pem`],
    ['STRONGROOM_PROXY_PRIVATE_RANGES', '10.0.0.0'],
    ['STRONGROOM_PROXY_PRIVATE_RANGES', '10.0.0.1/8'],
    ['STRONGROOM_PROXY_PRIVATE_RANGES', '10.0.0.0/33'],
    ['STRONGROOM_PROXY_PRIVATE_RANGES', '10.0.0.0/8,private'],
    ['STRONGROOM_PROXY_HOSTS', '*.internal'],
    ['STRONGROOM_PROXY_HOSTS', '10.0.0.1'],
    ['STRONGROOM_PROXY_PORTS', '0'],
    ['STRONGROOM_PROXY_PORTS', '65536'],
    ['STRONGROOM_PROXY_PORTS', '8443;9443'],
    ['STRONGROOM_PROXY_RESOLVERS', 'dns.example.com'],
    ['STRONGROOM_PROXY_RESOLVERS', '10.0.0.2:99999'],
    ['STRONGROOM_PROXY_REQUIRE_ALLOWED_DESTINATIONS', 'yes'],
    ['STRONGROOM_PROXY_CALLS_PER_TENANT', '0'],
  ])('refuse to start: %s=%s', (variable, value) => {
    expect(() => read({ [variable]: value })).toThrow(ConfigError);
    expect(() => read({ [variable]: value })).toThrow(`${variable} is not valid`);
  });

  it.each(['', '@', '*@', 'acme@', tenantId, `${tenantId}@${tenantId}@`, `${tenantId.slice(1)}@`])(
    'refuse a certificate that belongs to no single tenant: %j',
    (tenant) => {
      const value = `${tenant}api.provider.com=${path.join(directory, 'whole.pem')}`;
      expect(() => read({ STRONGROOM_PROXY_CLIENT_CERTIFICATES: value })).toThrow(
        /tenant@host=file entries.*a tenant is required/,
      );
    },
  );

  it('refuse a certificate without its key', () => {
    const value = `${tenantId}@api.provider.com=${path.join(directory, 'half.pem')}`;
    expect(() => read({ STRONGROOM_PROXY_CLIENT_CERTIFICATES: value })).toThrow(ConfigError);
  });

  it('never name a destination of the process itself', () => {
    const all = Object.fromEntries(
      ['OWN_DESTINATION', 'ECHO', 'ECHO_URL', 'HOSTS', 'PORTS'].map((name) => [`STRONGROOM_PROXY_${name}`, '8443']),
    );
    expect(read({ ...all, STRONGROOM_PROXY_HOSTS: 'echo.localhost' }).ownDestination).toBeUndefined();
  });

  it('do not follow from anything else in the environment', () => {
    const hints = { NODE_ENV: 'development', HTTPS_PROXY: 'http://10.0.0.1', NODE_EXTRA_CA_CERTS: '/ca.pem' };
    expect(read(hints)).toEqual(read({}));
  });
});
