import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AwsKmsEndpoint } from '../../../../test/harness/aws-kms-endpoint.ts';
import type { KeyServiceEndpoint } from '../../../../test/harness/key-service-endpoint.ts';
import { createKeyedTenant } from '../../../../test/harness/keyed-tenant.ts';
import { TestAuthority } from '../../../../test/harness/test-authority.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { TransitEndpoint } from '../../../../test/harness/transit-endpoint.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { Database } from '../../database/database.ts';
import { Keyring } from './keyring.ts';
import { openRootKeys, type RootKeyConfig } from '../kms/open-root-key.ts';
import { type RootKey, RootKeyMismatch } from '../kms/root-key.ts';
import { RootKeys } from '../kms/root-keys.ts';

const minuteMs = 60_000;
const binding = { tokenId: 'token', field: 'data', recordVersion: 1, type: 'token' };
const unavailable = { code: 'key-service-unavailable' };
let test: TestDatabase;
let database: Database;
let authority: TestAuthority;
const services = new Map<string, { rootKey: RootKey; endpoint: KeyServiceEndpoint }>();

beforeAll(async () => {
  test = await createTestDatabase();
  database = test.open();
  authority = await TestAuthority.create();
  const certificate = await authority.issue(['localhost']);
  const kms = await AwsKmsEndpoint.start(certificate);
  const secret = randomBytes(30).toString('base64');
  kms.credentials.push({ accessKeyId: 'AKIAEXAMPLEEXAMPLE', secretAccessKey: secret });
  const awsKms = await open({
    kind: 'aws-kms',
    key: 'alias/strongroom',
    region: 'eu-central-1',
    endpoint: kms.service.url,
    authority: authority.certificate,
    credentials: { kind: 'static', accessKeyId: 'AKIAEXAMPLEEXAMPLE', secretAccessKey: new Sensitive(secret) },
  });
  services.set('AWS KMS', { rootKey: awsKms, endpoint: kms.service });
  const transit = await TransitEndpoint.start(certificate);
  const transitKey = await open({ kind: 'transit', ...transit.options(authority.certificate) });
  services.set('Transit', { rootKey: transitKey, endpoint: transit.service });
});
afterAll(async () => {
  for (const { rootKey, endpoint } of services.values()) {
    await rootKey.close();
    await endpoint.stop();
  }
  await authority.remove();
  await test.drop();
});

describe.each(['AWS KMS', 'Transit'])('a keyring over %s', (name) => {
  it('serves from memory while the service is away, then says 503, and serves again once it is back', async () => {
    const { rootKey, endpoint } = serviceOf(name);
    const tenant = await createKeyedTenant(database, rootKey);
    let nowMs = 1_000_000;
    const keyring = new Keyring(database, new RootKeys(rootKey), () => nowMs);
    const record = (await keyring.forTenant(tenant)).seal('kept', binding);

    endpoint.mood = 'hangs-up';
    for (const minutes of [4, 6, 12, 19]) {
      nowMs = 1_000_000 + minutes * minuteMs;
      expect((await keyring.forTenant(tenant)).open(record, binding)).toBe('kept');
    }
    nowMs = 1_000_000 + 20 * minuteMs;
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject(unavailable);
    endpoint.mood = () => ({ status: 503, body: '' });
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject(unavailable);
    endpoint.mood = undefined;
    expect((await keyring.forTenant(tenant)).open(record, binding)).toBe('kept');
  });

  it("refuses another tenant's key that was copied into the row", async () => {
    const { rootKey } = serviceOf(name);
    const [tenant, other] = [await createKeyedTenant(database, rootKey), await createKeyedTenant(database, rootKey)];
    await test.owner.query(
      `update tenant_keys as target set wrapped = source.wrapped, canary = source.canary from tenant_keys as source
       where source.tenant_id = $1 and target.tenant_id = $2 and source.purpose = target.purpose`,
      [other, tenant],
    );
    await expect(new Keyring(database, new RootKeys(rootKey)).forTenant(tenant)).rejects.toThrow(RootKeyMismatch);
  });
});

async function open(config: RootKeyConfig): Promise<RootKey> {
  return (await openRootKeys({ primary: config, others: [] })).primary;
}

function serviceOf(name: string): { rootKey: RootKey; endpoint: KeyServiceEndpoint } {
  const service = services.get(name);
  if (service === undefined) throw new Error('There is no such service.');
  return service;
}
