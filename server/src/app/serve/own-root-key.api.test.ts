import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { removeAtOnce } from '../../../test/harness/tenant-people.ts';
import { AwsKmsEndpoint } from '../../../test/harness/key-services/aws-kms-endpoint.ts';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';

// A key service that speaks its real protocol holds the root key of one tenant, and a file that of the vault.

let kms: AwsKmsEndpoint;
let opens = 0;
let vault: TestVault;
let tenant: TestTenant;
let neighbour: TestTenant;
beforeAll(async () => {
  kms = await AwsKmsEndpoint.start();
  const open = () => {
    opens += 1;
    return kms.open();
  };
  const keys = new Map([['acme', { kind: 'aws-kms', open }]]);
  vault = await TestVault.start(undefined, { ownRootKeys: { keys, graceSeconds: 10 } });
  [tenant, neighbour] = [await vault.makeTenant('test', 'acme'), await vault.makeTenant()];
  for (const { keys: own } of [tenant, neighbour]) {
    const body = { id: 'kept', type: 'token', data: 'kept' };
    expect((await vault.request('POST', '/tokens', { key: own.private, body })).status).toBe(201);
  }
});
afterEach(() => kms.recover());
afterAll(async () => {
  await vault.stop();
  await kms.stop();
});

const read = (of: TestTenant, url = vault.server.url) =>
  vault.request('GET', '/tokens/kept', { key: of.keys.reveal, url });
const rootKeyOf = async (of: TestTenant) => {
  const { body } = await vault.request('GET', '/tenants/self/encryption-keys', { key: of.keys.management });
  return (body as { root_key: unknown }).root_key;
};
const lines = (text: string) =>
  vault.logLines.filter((line) => line.includes(text)).map((line) => JSON.parse(line) as object);
const scrape = async () => (await vault.request('GET', '/metrics', { url: vault.server.adminUrl })).text;
const ended = { waitingFor: 'the loaded keys to end' };
const metric = 'strongroom_tenant_root_key_ends_seconds{root_key="acme"}';

/** Requests of every kind that need the keys of a tenant. */
const needKeys = ({ keys: { private: key, reveal } }: TestTenant, url = vault.server.url) => [
  () => vault.request('GET', '/tokens/kept', { key: reveal, url }),
  () => vault.request('GET', '/tokens', { key: reveal, url }),
  () => vault.request('POST', '/tokens', { key, url, body: { type: 'token', data: 'new' } }),
  () => vault.request('POST', '/tokenize', { key, url, body: { type: 'token', data: 'new' } }),
  () => vault.request('POST', '/detokenize', { key: reveal, url, body: { a: '{{ kept }}' } }),
];

/** Returns the times of a hundred requests, one after the other, in milliseconds. */
async function timesOf(request: () => Promise<{ readonly status: number }>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < 100; index += 1) {
    const startedAt = performance.now();
    expect((await request()).status).toBe(200);
    times.push(performance.now() - startedAt);
  }
  return times;
}

describe("a tenant whose owner disables the tenant's root key", () => {
  it('is not served from the set time on, and everything that needs no key works', async () => {
    await read(tenant);
    kms.troubles.disabled();
    await untilTrue(async () => (await read(tenant)).status === 503, ended);
    for (const request of needKeys(tenant)) {
      const { status, text } = await request();
      expect(status).toBe(503);
      expect(text).toContain('own root key cannot be used');
      expect(text).not.toContain('kept');
    }
    for (const path of ['/tenants/self', '/applications', '/logs']) {
      expect((await vault.request('GET', path, { key: tenant.keys.management })).status).toBe(200);
    }
    expect((await vault.request('DELETE', '/tokens/missing', { key: tenant.keys.private })).status).toBe(404);
    expect((await read(neighbour)).status).toBe(200);
  });

  it('says why in the log, in the metrics and with its keys, and nothing about other tenants', async () => {
    kms.troubles.disabled();
    await untilTrue(async () => (await read(tenant)).status === 503, ended);
    expect(await rootKeyOf(tenant)).toEqual({
      id: expect.stringMatching(/^aws-kms:.*@acme$/),
      provider: 'aws-kms',
      own_name: 'acme',
      outage: { reason: 'disabled', readable_seconds: 0 },
    });
    expect(await rootKeyOf(neighbour)).toEqual({ id: expect.stringMatching(/^file:/), provider: 'file' });
    const [line] = lines('tenant root key unavailable').slice(-1);
    expect(line).toMatchObject({ tenant_id: tenant.id, error: 'disabled', advice: expect.stringMatching(/\.$/) });
    expect(lines('key service unavailable')).toEqual([]);
    expect(await scrape()).toContain(`${metric} 0\n`);
  });

  it('is served again within seconds of the key', async () => {
    kms.troubles.disabled();
    await untilTrue(async () => (await read(tenant)).status === 503, ended);
    const before = lines('tenant root key back').length;
    kms.recover();
    const startedAt = performance.now();
    await untilTrue(async () => (await read(tenant)).status === 200, { waitingFor: 'the keys to be loaded' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(await rootKeyOf(tenant)).not.toHaveProperty('outage');
    expect(lines('tenant root key back')).toHaveLength(before + 1);
    expect(await scrape()).toContain(`${metric} +Inf`);
  });

  it('makes no request of a neighbour wait, while two hundred of its own wait for a key service that hangs', async () => {
    // A server that has not loaded the keys of the tenant yet.
    const { url } = await vault.startAnother();
    expect((await read(neighbour, url)).status).toBe(200);
    kms.troubles.slow();
    const opensBefore = opens;
    let responses = 0;
    const waiting = Array.from({ length: 40 }, () => needKeys(tenant, url))
      .flat()
      .map(async (request) => {
        const { status } = await request();
        responses += 1;
        return status;
      });
    await untilTrue(() => opens > opensBefore, { waitingFor: 'the key service to be asked' });
    const timesBeside = await timesOf(() => read(neighbour, url));
    expect(responses).toBe(0);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([503]));
    expect(Math.min(...timesBeside)).toBeLessThan(1_000);
  });

  it('can be deleted', async () => {
    kms.troubles.disabled();
    const doomed = { ...tenant };
    await removeAtOnce(vault, doomed);
    const { rows } = await vault.database.owner.query('select from tenant_keys where tenant_id = $1', [tenant.id]);
    expect(rows).toEqual([]);
  });
});
