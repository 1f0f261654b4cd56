import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { readFrom } from './reading.ts';
import { optionalRootKeys } from './root-key-reading.ts';
import type { Environment } from './setting.ts';

const aws = {
  STRONGROOM_AWS_KMS_KEY: 'alias/strongroom',
  STRONGROOM_AWS_KMS_REGION: 'eu-central-1',
  STRONGROOM_AWS_KMS_ACCESS_KEY_ID: 'AKIAEXAMPLEEXAMPLE',
  STRONGROOM_AWS_KMS_SECRET_ACCESS_KEY: 'secret',
};
const transit = { STRONGROOM_TRANSIT_URL: 'https://vault.internal:8200', STRONGROOM_TRANSIT_KEY: 'strongroom' };
const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

const read = (environment: Environment) => readFrom(environment, optionalRootKeys)?.primary;

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

  it('takes the public address of the region', () => {
    const config = read(aws);
    expect(config).toMatchObject({ kind: 'aws-kms', endpoint: 'https://kms.eu-central-1.amazonaws.com' });
    expect(JSON.stringify(config)).not.toContain('"secret"');
    expect(problemsOf(aws)).toEqual([]);
  });

  it('asks for everything that is missing at once', () => {
    expect(problemsOf({ STRONGROOM_AWS_KMS_KEY: 'alias/strongroom' })).toEqual([
      'STRONGROOM_AWS_KMS_REGION',
      'STRONGROOM_AWS_KMS_ACCESS_KEY_ID',
      'STRONGROOM_AWS_KMS_SECRET_ACCESS_KEY',
    ]);
  });

  it.each([
    [
      'AWS_CONTAINER_CREDENTIALS_FULL_URI',
      'http://169.254.170.23/v1/credentials',
      'http://169.254.170.23/v1/credentials',
    ],
    ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', '/v2/credentials/1-2', 'http://169.254.170.2/v2/credentials/1-2'],
  ])('takes the role of the container from %s', (variable, value, url) => {
    const { STRONGROOM_AWS_KMS_KEY, STRONGROOM_AWS_KMS_REGION } = aws;
    const environment = { STRONGROOM_AWS_KMS_KEY, STRONGROOM_AWS_KMS_REGION, [variable]: value };
    const credentials = { kind: 'container', url, tokenFile: undefined };
    expect(read(environment)).toMatchObject({ credentials });
    expect(read({ ...aws, [variable]: value })).toMatchObject({ credentials: { kind: 'static' } });
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

  it('takes credentials over plain HTTP from the machine and its host only', () => {
    const { STRONGROOM_AWS_KMS_KEY, STRONGROOM_AWS_KMS_REGION } = aws;
    const variable = 'AWS_CONTAINER_CREDENTIALS_FULL_URI';
    const given = (value: string) => ({ STRONGROOM_AWS_KMS_KEY, STRONGROOM_AWS_KMS_REGION, [variable]: value });
    expect(problemsOf(given('http://10.0.0.1/credentials'))).toEqual([variable]);
    expect(problemsOf(given('https://10.0.0.1/credentials'))).toEqual([]);
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
