import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isProven, verifyProof } from '../../../portal/src/proof/verify-proof.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let record: { readonly id: string; readonly created_at: string };
let proof: string;
const trusted = () => ({ version: 1, key: signerOf(vault.server).publicKey.toString('base64') });

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  for (let count = 0; count < 20; count += 1)
    await vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: count } });
  await sealAll(vault.database, signerOf(vault.server));
  const { body } = await vault.request('GET', '/logs?size=5', { key: tenant.keys.management });
  record = (body as { data: (typeof record)[] }).data[3] ?? { id: '', created_at: '' };
  const path = `/logs/${record.id}/proof?created_at=${encodeURIComponent(record.created_at)}`;
  proof = (await vault.request('GET', path, { key: tenant.keys.management })).text;
});
afterAll(() => vault.stop());

/** The proof with one bit of one byte turned over. Its text is ASCII. */
function flip(at: number, bit: number): string {
  const bytes = Buffer.from(proof, 'utf8');
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  return bytes.toString('latin1');
}

describe('the check of a proof that the portal runs', () => {
  it('accepts the proof as it is', async () => {
    expect(isProven(await verifyProof(proof, trusted()))).toBe(true);
  });

  it('refuses it with any bit of any byte turned over', async () => {
    const accepted: string[] = [];
    for (let at = 0; at < proof.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        if (isProven(await verifyProof(flip(at, bit), trusted()))) accepted.push(`bit ${bit} of byte ${at}`);
      }
    }
    expect(accepted).toEqual([]);
  });

  it('refuses it with another key, another version, and a member more or less', async () => {
    const other = { version: 1, key: Buffer.alloc(32, 7).toString('base64') };
    expect(await verifyProof(proof, other)).toMatchObject({ isSigned: false, isIncluded: false });
    expect(await verifyProof(proof, { ...trusted(), version: 2 })).toMatchObject({ isSigned: false });
    const parsed = JSON.parse(proof) as Record<string, object>;
    const { path: _path, ...less } = parsed;
    for (const changed of [
      less,
      { ...parsed, more: 1 },
      { ...parsed, record: { ...parsed['record'], more: null } },
      [],
      null,
    ])
      expect(await verifyProof(JSON.stringify(changed), trusted())).toMatchObject({ isWellFormed: false });
  });
});

describe('a browser that is given a changed proof', () => {
  it('says that it is not proven, whatever was changed', async () => {
    const browser = await PortalBrowser.start(vault);
    try {
      const { page, open } = await browser.signIn(tenant, 'READ_ONLY');
      const places = Array.from({ length: 12 }, (_, index) => Math.floor((proof.length * (index + 0.5)) / 12));
      let body = proof;
      await page.route('**/portal/api/logs/*/proof**', (route) =>
        route.fulfill({ body, contentType: 'application/json; charset=latin1' }),
      );
      await open(`/portal/audit?record=${record.id}&record_at=${record.created_at}`);
      const verify = page.getByRole('button', { name: 'Verify in this browser' });
      await verify.click();
      await page.getByText('Proven', { exact: true }).waitFor();
      for (const place of places) {
        body = flip(place, place % 7);
        await verify.click();
        await page.getByText('Not proven', { exact: true }).waitFor();
        body = proof;
        await verify.click();
        await page.getByText('Proven', { exact: true }).waitFor();
      }
    } finally {
      await browser.stop();
    }
  });
});
