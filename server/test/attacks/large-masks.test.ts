import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenLimits } from '../../src/core/token-limits.ts';
import { post, times } from '../harness/heavy-requests.ts';
import { MeasuredVault } from '../harness/measured-vault.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';
import { TokenEndpoints } from '../harness/token-endpoints.ts';

/**
 * Previously, the names in a mask had no separate limit. A patch of 12 bytes made the server parse 3 MB of names
 * several times, and blocked the event loop for up to 293 ms.
 */
let vault: TestVault;
let tenant: TestTenant;
let measured: MeasuredVault;
let owner: TokenEndpoints;
let anybody: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  measured = await MeasuredVault.start(vault, tenant.keys.private);
  owner = new TokenEndpoints(vault, tenant.keys.private);
  const permissions = ['token:create', 'token:update'];
  anybody = (await createApplication(vault, tenant, { type: 'public', permissions })).key;
});
afterAll(async () => {
  await measured.stop();
  await vault.stop();
});

const maskOf = (repeats: number) =>
  Object.fromEntries(times(900, (index) => [`${index}${'k\n"é'.repeat(repeats)}`, 'x']));

describe('a mask of long names', () => {
  it('is refused in short turns', async () => {
    const answer = await measured.measureShort(
      post('/tokens', anybody, { type: 'token', data: 'small', mask: maskOf(450) }),
    );
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(String(tokenLimits.maskBytesMax));
    expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
  });

  it.each(['the owner', 'a public key'])('at the limit is evaluated in short turns, for %s', async (who) => {
    const key = who === 'the owner' ? tenant.keys.private : anybody;
    const { id } = await new TokenEndpoints(vault, key).make({ data: 'small', mask: maskOf(8) });
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = '{"data":"a"}';
    const answer = await measured.measureShort({ method: 'PATCH', path: `/tokens/${id}`, key, body, headers });
    expect(answer.status, answer.text.slice(0, 300)).toBe(200);
    expect(answer.longestMs).toBeLessThan(measured.turnMaxMs);
  });

  it('that an earlier version has stored stays readable, and makes room for a smaller one', async () => {
    const { id } = await owner.make({ data: 'small', mask: 'x' });
    const large = JSON.stringify(maskOf(450));
    await vault.database.owner.query('update tokens set mask = $2 where id = $1', [id, large]);
    expect((await owner.get(id)).status).toBe(200);
    expect((await owner.patch(id, { data: 'other' })).status).toBe(200);
    expect((await owner.patch(id, { mask: { more: 'x' } })).status).toBe(400);
    expect((await owner.patch(id, { mask: 'small' })).status).toBe(200);
  });
});
