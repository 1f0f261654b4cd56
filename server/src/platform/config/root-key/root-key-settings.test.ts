import { describe, expect, it } from 'vitest';
import { ConfigError } from '../config-error.ts';
import { optionalRootKeys } from './root-key-settings.ts';
import type { Environment } from '../setting.ts';

const aws = {
  STRONGROOM_AWS_KMS_KEY: 'alias/strongroom',
  STRONGROOM_AWS_KMS_REGION: 'eu-central-1',
  STRONGROOM_AWS_KMS_ACCESS_KEY_ID: 'AKIAEXAMPLEEXAMPLE',
  STRONGROOM_AWS_KMS_SECRET_ACCESS_KEY: 'secret',
};
const transit = { STRONGROOM_TRANSIT_URL: 'https://vault.internal:8200', STRONGROOM_TRANSIT_KEY: 'strongroom' };
const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

const read = (environment: Environment) => optionalRootKeys.read(environment)?.primary;

function problemsOf(environment: Environment): readonly string[] {
  try {
    read(environment);
    return [];
  } catch (error) {
    return error instanceof ConfigError ? error.problems.map(({ variable }) => variable) : ['?'];
  }
}

describe('a root key in AWS KMS', () => {
  it('is nothing where no key is named', () => {
    expect(read({ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1' })).toBeUndefined();
  });

  it('leaves the address to the SDK, and takes the access key that it is given', () => {
    const config = read(aws);
    const accessKey = { accessKeyId: 'AKIAEXAMPLEEXAMPLE' };
    expect(config).toMatchObject({ kind: 'aws-kms', endpoint: undefined, usesFips: false, accessKey });
    expect(JSON.stringify(config)).not.toContain('"secret"');
    expect(problemsOf(aws)).toEqual([]);
  });

  it('asks for everything that is missing at once, and leaves credentials to the SDK', () => {
    const { STRONGROOM_AWS_KMS_KEY, STRONGROOM_AWS_KMS_REGION, STRONGROOM_AWS_KMS_SECRET_ACCESS_KEY } = aws;
    expect(problemsOf({ STRONGROOM_AWS_KMS_KEY })).toEqual(['STRONGROOM_AWS_KMS_REGION']);
    const chain = { STRONGROOM_AWS_KMS_KEY, STRONGROOM_AWS_KMS_REGION };
    expect(read({ ...chain, STRONGROOM_AWS_KMS_PROFILE: 'vault' })).toMatchObject({
      profile: 'vault',
      accessKey: undefined,
    });
    expect(problemsOf({ ...chain, STRONGROOM_AWS_KMS_ACCESS_KEY_ID: 'AKIAEXAMPLEEXAMPLE' })).toEqual([
      'STRONGROOM_AWS_KMS_SECRET_ACCESS_KEY',
    ]);
    expect(problemsOf({ ...chain, STRONGROOM_AWS_KMS_SECRET_ACCESS_KEY })).toEqual([
      'STRONGROOM_AWS_KMS_SECRET_ACCESS_KEY',
    ]);
  });

  it('has a FIPS endpoint or one of its own, not both', () => {
    const endpoint = { STRONGROOM_AWS_KMS_ENDPOINT: 'https://kms.internal' };
    expect(problemsOf({ ...aws, STRONGROOM_AWS_KMS_FIPS: 'true' })).toEqual([]);
    expect(problemsOf({ ...aws, ...endpoint, STRONGROOM_AWS_KMS_FIPS: 'true' })).toEqual([
      'STRONGROOM_AWS_KMS_ENDPOINT',
    ]);
  });

  it.each([
    ['STRONGROOM_AWS_KMS_ENDPOINT', 'http://kms.internal'],
    ['STRONGROOM_AWS_KMS_ENDPOINT', 'https://user:secret@kms.internal'],
    ['STRONGROOM_AWS_KMS_ENDPOINT', 'https://kms.internal/path'],
    ['STRONGROOM_AWS_KMS_REGION', 'eu-central-1.evil.example/'],
    ['STRONGROOM_AWS_KMS_KEY', 'alias/strong room'],
    ['STRONGROOM_AWS_KMS_SECRET_ACCESS_KEY', 'two\nlines'],
    ['STRONGROOM_AWS_KMS_CA', 'no certificate'],
  ])('refuses %s=%s', (variable, value) => {
    expect(problemsOf({ ...aws, [variable]: value })).toEqual([variable]);
  });
});

describe('a root key in Google Cloud KMS', () => {
  const google = { STRONGROOM_GOOGLE_KMS_KEY: 'projects/a1/locations/eu/keyRings/b/cryptoKeys/c' };

  it('leaves credentials to the SDK, or takes those it is given', () => {
    expect(read(google)).toMatchObject({ kind: 'google-kms', credentials: undefined });
    const config = read({
      ...google,
      STRONGROOM_GOOGLE_KMS_CREDENTIALS: '{"type":"service_account","private_key":"x1"}',
    });
    expect(JSON.stringify(config)).not.toContain('x1');
  });

  it.each([
    ['STRONGROOM_GOOGLE_KMS_KEY', 'strongroom'],
    ['STRONGROOM_GOOGLE_KMS_KEY', 'projects/a1/locations/eu/keyRings/b/cryptoKeys/c/cryptoKeyVersions/1'],
    ['STRONGROOM_GOOGLE_KMS_CREDENTIALS', 'no JSON'],
    ['STRONGROOM_GOOGLE_KMS_CREDENTIALS', '{}'],
  ])('refuses %s=%s', (variable, value) => {
    expect(problemsOf({ ...google, [variable]: value })).toEqual([variable]);
  });
});

describe('a root key in Azure Key Vault', () => {
  const id = '00000000-0000-4000-8000-000000000000';
  const azure = {
    STRONGROOM_AZURE_KEY_VAULT_URL: 'https://strongroom.vault.azure.net',
    STRONGROOM_AZURE_KEY_VAULT_KEY: 'strongroom',
  };

  it('signs in with an identity of the machine, or with a client secret', () => {
    expect(read(azure)).toMatchObject({ kind: 'azure-key-vault', clientId: undefined, application: undefined });
    const secret = { STRONGROOM_AZURE_KEY_VAULT_CLIENT_SECRET: 'x1' };
    const tenant = { STRONGROOM_AZURE_KEY_VAULT_TENANT_ID: id };
    expect(problemsOf({ ...azure, ...secret })).toEqual(['STRONGROOM_AZURE_KEY_VAULT_CLIENT_SECRET']);
    expect(problemsOf({ ...azure, ...secret, ...tenant })).toEqual(['STRONGROOM_AZURE_KEY_VAULT_APPLICATION_ID']);
    const whole = { ...azure, ...secret, ...tenant, STRONGROOM_AZURE_KEY_VAULT_APPLICATION_ID: id };
    expect(read(whole)).toMatchObject({ application: { tenantId: id } });
    expect(JSON.stringify(read(whole))).not.toContain('x1');
  });

  it.each([
    ['STRONGROOM_AZURE_KEY_VAULT_URL', 'http://localhost'],
    ['STRONGROOM_AZURE_KEY_VAULT_URL', 'https://strongroom.vault.azure.net/keys/strongroom'],
    ['STRONGROOM_AZURE_KEY_VAULT_KEY', '../secrets/a'],
    ['STRONGROOM_AZURE_KEY_VAULT_CLIENT_ID', 'strongroom'],
  ])('refuses %s=%s', (variable, value) => {
    expect(problemsOf({ ...azure, [variable]: value })).toEqual([variable]);
  });
});

describe('a root key in Transit', () => {
  it('is nothing where no server is named', () => {
    expect(read({ STRONGROOM_TRANSIT_KEY: 'strongroom' })).toBeUndefined();
  });

  it('reads what is set and takes the usual mount', () => {
    const config = read({
      ...transit,
      STRONGROOM_TRANSIT_TOKEN: 'hvs.secret',
      STRONGROOM_TRANSIT_NAMESPACE: 'payments/',
      STRONGROOM_TRANSIT_CA: pem,
    });
    expect(config).toMatchObject({ kind: 'transit', mount: 'transit', namespace: 'payments/', authority: pem });
    expect(JSON.stringify(config)).not.toContain('hvs.secret');
  });

  it.each([
    [{}, { kind: 'agent' }],
    [{ STRONGROOM_TRANSIT_TOKEN: 'hvs.secret' }, { kind: 'token' }],
    [{ STRONGROOM_TRANSIT_KUBERNETES_ROLE: 'vault' }, { kind: 'kubernetes', role: 'vault', mount: 'kubernetes' }],
    [
      { STRONGROOM_TRANSIT_APPROLE_ID: 'role', STRONGROOM_TRANSIT_APPROLE_SECRET: 'secret' },
      { kind: 'approle', roleId: 'role', mount: 'approle' },
    ],
  ])('signs in as configured: %j', (settings, signIn) => {
    expect(read({ ...transit, ...settings })).toMatchObject({ signIn });
  });

  it('signs in in one way', () => {
    const role = { ...transit, STRONGROOM_TRANSIT_KUBERNETES_ROLE: 'vault' };
    expect(problemsOf({ ...role, STRONGROOM_TRANSIT_TOKEN: 'a' })).toEqual(['STRONGROOM_TRANSIT_KUBERNETES_ROLE']);
    expect(problemsOf({ ...role, STRONGROOM_TRANSIT_APPROLE_ID: 'a' })).toEqual(['STRONGROOM_TRANSIT_APPROLE_ID']);
    expect(problemsOf({ ...transit, STRONGROOM_TRANSIT_APPROLE_SECRET: 'a' })).toEqual([
      'STRONGROOM_TRANSIT_APPROLE_SECRET',
    ]);
    expect(problemsOf({ ...transit, STRONGROOM_TRANSIT_APPROLE_ID: 'a' })).toEqual([
      'STRONGROOM_TRANSIT_APPROLE_SECRET',
    ]);
  });

  it('speaks plain HTTP to an agent on this machine only', () => {
    expect(problemsOf({ ...transit, STRONGROOM_TRANSIT_URL: 'http://127.0.0.1:8200' })).toEqual([]);
    expect(problemsOf({ ...transit, STRONGROOM_TRANSIT_URL: 'http://vault.internal:8200' })).toEqual([
      'STRONGROOM_TRANSIT_URL',
    ]);
  });

  it.each([
    ['STRONGROOM_TRANSIT_KEY', '../sys/raw'],
    ['STRONGROOM_TRANSIT_KEY', 'a/b'],
    ['STRONGROOM_TRANSIT_MOUNT', 'transit/../sys'],
    ['STRONGROOM_TRANSIT_MOUNT', '/transit'],
    ['STRONGROOM_TRANSIT_MOUNT', 'transit?x='],
    ['STRONGROOM_TRANSIT_TOKEN', 'a b'],
    ['STRONGROOM_TRANSIT_NAMESPACE', 'a\r\nX-Vault-Token: b'],
    ['STRONGROOM_TRANSIT_CA', 'no certificate'],
  ])('refuses %s=%j', (variable, value) => {
    expect(problemsOf({ ...transit, [variable]: value })).toEqual([variable]);
  });
});
