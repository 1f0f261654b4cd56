import { describe, expect, it } from 'vitest';
import { ConfigError } from '../config-error.ts';
import { ownRootKeys } from './own-root-key-settings.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const aws = { STRONGROOM_AWS_KMS_KEY: 'alias/acme', STRONGROOM_AWS_KMS_REGION: 'eu-central-1' };

const read = (named: unknown, more: Readonly<Record<string, string>> = {}) =>
  ownRootKeys.read({
    STRONGROOM_TENANT_ROOT_KEYS: typeof named === 'string' ? named : JSON.stringify(named),
    ...more,
  });

function messageOf(named: unknown, more: Readonly<Record<string, string>> = {}): string {
  try {
    read(named, more);
    return '';
  } catch (error) {
    return error instanceof ConfigError ? error.message : '?';
  }
}

describe('root keys of tenants', () => {
  it('are none by default', () => {
    expect(ownRootKeys.read({})).toBeUndefined();
  });

  it('are read by name, of any kind, with the settings of a root key of the vault', async () => {
    const config = read({ acme: aws, 'globex-2': { STRONGROOM_ROOT_KEY: key } });
    expect(config).toMatchObject({ graceSeconds: 900 });
    expect([...(config?.keys ?? [])].map(([name, { kind }]) => [name, kind])).toEqual([
      ['acme', 'aws-kms'],
      ['globex-2', 'file'],
    ]);
    expect((await config?.keys.get('globex-2')?.open())?.id).toMatch(/^file:/);
    expect(read({ acme: aws }, { STRONGROOM_TENANT_ROOT_KEY_GRACE_SECONDS: '60' })?.graceSeconds).toBe(60);
  });

  it('take nothing from the settings of the vault', () => {
    const { STRONGROOM_AWS_KMS_KEY } = aws;
    expect(messageOf({ acme: { STRONGROOM_AWS_KMS_KEY } }, aws)).toContain(
      'STRONGROOM_AWS_KMS_REGION of "acme" in STRONGROOM_TENANT_ROOT_KEYS is not set',
    );
  });

  it('are refused all at once, with the name and the setting, and without a value', () => {
    const message = messageOf({ acme: { ...aws, STRONGROOM_AWS_KMS_REGION: 'the moon' }, globex: {} });
    expect(message).toContain('STRONGROOM_AWS_KMS_REGION of "acme" in STRONGROOM_TENANT_ROOT_KEYS is not valid');
    expect(message).toContain('has no root key under the name "globex"');
    expect(message).not.toContain('the moon');
  });

  it.each([
    ['of two kinds', { acme: { ...aws, STRONGROOM_ROOT_KEY: key } }, 'several root keys'],
    ['with a setting of something else', { acme: { ...aws, STRONGROOM_PORT: '1' } }, 'none of a root key in AWS KMS'],
    [
      'with a previous key',
      { acme: { STRONGROOM_ROOT_KEY: key, STRONGROOM_PREVIOUS_ROOT_KEY: key } },
      'none of a root',
    ],
    ['with a number', { acme: { STRONGROOM_ROOT_KEY: 7 } }, 'is not valid'],
    ['with a name that an id could not contain', { 'Acme@1': aws }, 'is not valid'],
    ['in a list', [aws], 'is not valid'],
    ['with one name twice', '{"acme":{"STRONGROOM_ROOT_KEY":"a"},"acme":{"STRONGROOM_ROOT_KEY":"b"}}', 'is not valid'],
    ['in a text that is no JSON', '{', 'is not valid'],
  ])('are refused %s', (_, named, message) => {
    expect(messageOf(named)).toContain(message);
  });

  it.each(['9', '86401', 'ten'])('have no grace time of %s seconds', (seconds) => {
    expect(messageOf({ acme: aws }, { STRONGROOM_TENANT_ROOT_KEY_GRACE_SECONDS: seconds })).toContain('is not valid');
  });
});
