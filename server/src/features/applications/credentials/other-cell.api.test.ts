import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { generateApiKey } from '../../../platform/keyring/sign-in/api-key.ts';
import { withLimits } from '../../../platform/rate-limit/rate-limit-table.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  const table = withLimits({ 'key-guessing': 1 });
  vault = await TestVault.start(undefined, { cell: 'eu1', limits: { table, ownTable: table } });
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const get = (key: string) => vault.request('GET', '/tokens', { key });

describe('a vault that is a cell', () => {
  it('puts its name into the keys of applications and sessions', async () => {
    for (const key of Object.values(tenant.keys)) expect(key).toMatch(/^key_test_eu1_(?:pvt|pub|mgt)_/);
    const { body } = await vault.request('POST', '/sessions', { key: tenant.keys.public });
    expect(body).toMatchObject({ session_key: expect.stringMatching(/^key_test_eu1_sess_/) });
  });

  it('names the cell of a key that belongs to another, and counts no guess', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { status, headers, body } = await get(generateApiKey('prod', 'pvt', 'us1').text);
      expect(status).toBe(421);
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(body).toMatchObject({
        type: '/docs/errors/other-cell',
        detail: 'The key belongs to the cell us1. Send the request there.',
        cell: 'us1',
      });
    }
    expect((await get(tenant.keys.private)).status).toBe(200);
  });

  it('accepts keys that are older than its name', async () => {
    const before = await TestVault.start();
    const { keys } = await before.makeTenant();
    const after = await TestVault.start(before.fileKey, { database: before.database, cell: 'eu1' });
    expect(keys.private).toMatch(/^key_test_pvt_/);
    expect((await after.request('GET', '/tokens', { key: keys.private })).status).toBe(200);
    await after.server.stop();
    await before.stop();
  });

  it('counts a guess if the checksum of the key is wrong, or its own key is unknown', async () => {
    const { text } = generateApiKey('prod', 'pvt', 'us1');
    expect((await get(text.replace('_us1_', '_us2_'))).status).toBe(401);
    expect((await get(generateApiKey('prod', 'pvt', 'eu1').text)).status).toBe(429);
  });
});

describe('a vault without a name', () => {
  it('is another cell than any that has one', async () => {
    const unnamed = await TestVault.start();
    const { status, body } = await unnamed.request('GET', '/tokens', { key: tenant.keys.private });
    await unnamed.stop();
    expect({ status, cell: (body as { cell: string }).cell }).toEqual({ status: 421, cell: 'eu1' });
  });
});
