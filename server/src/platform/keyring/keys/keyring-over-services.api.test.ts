import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyedTenant } from '../../../../test/harness/keyed-tenant.ts';
import { testedKeyServices } from '../../../../test/harness/key-services/all-key-services.ts';
import type { TestedKeyService } from '../../../../test/harness/key-services/tested-key-service.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import { keysOf } from '../../../core/objects/keys-of.ts';
import type { Database } from '../../database/database.ts';
import { type RootKey, RootKeyMismatch } from '../kms/root-key.ts';
import { RootKeys } from '../kms/root-keys.ts';
import { Keyring } from './keyring.ts';

const minuteMs = 60_000;
const binding = { tokenId: 'token', field: 'data', recordVersion: 1, type: 'token' };
const unavailable = { code: 'key-service-unavailable' };
let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await createTestDatabase();
  database = test.open();
});
afterAll(() => test.drop());

describe.each(keysOf(testedKeyServices))('a keyring with a root key in %s', (kind) => {
  let service: TestedKeyService;
  let rootKey: RootKey;
  beforeAll(async () => {
    service = await testedKeyServices[kind]();
    rootKey = await service.open();
  });
  afterAll(async () => {
    await rootKey.close();
    await service.stop();
  });

  it('serves from memory while the service is away, then says 503, and serves again once it is back', async ({
    skip,
  }) => {
    const { unreachable } = service.troubles;
    if (typeof unreachable === 'string') return skip(unreachable);
    const tenant = await createKeyedTenant(database, rootKey);
    let nowMs = 1_000_000;
    const keyring = new Keyring(database, new RootKeys(rootKey), () => nowMs);
    const record = (await keyring.forTenant(tenant)).seal('kept', binding);

    await unreachable();
    for (const minutes of [4, 6, 12, 19]) {
      nowMs = 1_000_000 + minutes * minuteMs;
      expect((await keyring.forTenant(tenant)).open(record, binding)).toBe('kept');
    }
    nowMs = 1_000_000 + 20 * minuteMs;
    await expect(keyring.forTenant(tenant)).rejects.toMatchObject(unavailable);
    await service.recover();
    await expect
      .poll(() =>
        keyring
          .forTenant(tenant)
          .then((keys) => keys.open(record, binding))
          .catch(() => undefined),
      )
      .toBe('kept');
  });

  it("refuses another tenant's key that was copied into the row", async () => {
    const [tenant, other] = [await createKeyedTenant(database, rootKey), await createKeyedTenant(database, rootKey)];
    await test.owner.query(
      `update tenant_keys as target set wrapped = source.wrapped, canary = source.canary from tenant_keys as source
       where source.tenant_id = $1 and target.tenant_id = $2 and source.purpose = target.purpose`,
      [other, tenant],
    );
    await expect(new Keyring(database, new RootKeys(rootKey)).forTenant(tenant)).rejects.toThrow(RootKeyMismatch);
  });
});
