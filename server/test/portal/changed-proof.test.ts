import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShownRecord } from '../../../portal/src/proof/shown-record.ts';
import { isProven, verifyProof } from '../../../portal/src/proof/verify-proof.ts';
import { PortalBrowser } from '../harness/portal-browser.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

let vault: TestVault;
let tenant: TestTenant;
let record: ShownRecord;
let others: ShownRecord[];
let proof: string;
const trusted = () => ({ version: 1, key: signerOf(vault.server).publicKey.toString('base64') });

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  // The record of this search has details.
  await vault.request('POST', '/tokens/search', { key: tenant.keys.reveal, body: { query: 'type:token' } });
  for (let count = 0; count < 20; count += 1)
    await vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: count } });
  await sealAll(vault.database, signerOf(vault.server));
  const { body } = await vault.request('GET', '/logs?size=50', { key: tenant.keys.management });
  [record = { created_at: '' }, ...others] = (body as { data: ShownRecord[] }).data.slice(3);
  proof = await prove(record);
});
afterAll(() => vault.stop());

async function prove({ id, created_at: createdAt }: ShownRecord): Promise<string> {
  const path = `/logs/${id}/proof?created_at=${encodeURIComponent(createdAt)}`;
  return (await vault.request('GET', path, { key: tenant.keys.management })).text;
}

/** Returns the proof with one bit of one byte flipped. The proof is ASCII text. */
function flip(at: number, bit: number): string {
  const bytes = Buffer.from(proof, 'utf8');
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  return bytes.toString('latin1');
}

describe('the check of a proof that the portal runs', () => {
  it('accepts the proof as it is', async () => {
    expect(isProven(await verifyProof(proof, trusted(), record))).toBe(true);
  });

  it('refuses it with any bit of any byte turned over', async () => {
    const accepted: string[] = [];
    const key = trusted();
    let refused = 0;
    const bits = Array.from({ length: 8 * proof.length }, (_, index) => [Math.floor(index / 8), index % 8] as const);
    const waiting = bits.values();
    const work = async () => {
      for (const [at, bit] of waiting) {
        if (isProven(await verifyProof(flip(at, bit), key, record))) accepted.push(`bit ${bit} of byte ${at}`);
        else refused += 1;
      }
    };
    // Many checks run concurrently, because each spends most of its time waiting for the threads that compute hashes
    // and verify signatures.
    await Promise.all(Array.from({ length: 64 }, work));
    expect({ accepted, refused }).toEqual({ accepted: [], refused: 8 * proof.length });
  });

  it('refuses it with another key, another version, and a member more or less', async () => {
    const other = { version: 1, key: Buffer.alloc(32, 7).toString('base64') };
    expect(await verifyProof(proof, other, record)).toMatchObject({ isSigned: false, isIncluded: false });
    expect(await verifyProof(proof, { ...trusted(), version: 2 }, record)).toMatchObject({ isSigned: false });
    const parsed = JSON.parse(proof) as Record<string, object>;
    const { path: _path, ...less } = parsed;
    for (const changed of [
      less,
      { ...parsed, more: 1 },
      { ...parsed, record: { ...parsed['record'], more: null } },
      [],
      null,
    ])
      expect(await verifyProof(JSON.stringify(changed), trusted(), record)).toMatchObject({ isWellFormed: false });
  });
});

describe('a proof of what is not shown', () => {
  const check = async (shown: ShownRecord) => verifyProof(proof, trusted(), shown);

  it('accepts the proof of each record for that record alone', async () => {
    expect(others.length).toBeGreaterThan(15);
    expect(others.some(({ details }) => details !== undefined)).toBe(true);
    for (const other of others) {
      expect(await check(other)).toMatchObject({ isWellFormed: true, isOfRecord: false, isIncluded: false });
      expect(isProven(await verifyProof(await prove(other), trusted(), other))).toBe(true);
    }
  });

  it.each<Partial<ShownRecord>>([
    { id: '00000000-0000-4000-8000-000000000000' },
    { tenant_id: '00000000-0000-4000-8000-000000000000' },
    { created_at: '2026-01-01T00:00:00.000Z' },
    { created_at: '' },
    { operation: 'delete' },
    { outcome: 'denied' },
    { entity_id: 'another' },
    { actor_id: '00000000-0000-4000-8000-000000000000' },
    { actor_type: 'user' },
    { key_id: '00000000-0000-4000-8000-000000000000' },
    { request_id: 'another' },
    { source_address: '192.0.2.1' },
    { containers: ['/another/'] },
    { destination: 'example.com' },
    { transform: 'reveal' },
    { details: { found: 1 } },
  ])('refuses it for the record with %o', async (change) => {
    expect(isProven(await check({ ...record, ...change }))).toBe(false);
  });

  it('refuses it for a record of which something is left out', async () => {
    for (const name of Object.keys(record).filter((one) => one !== 'message' && one !== 'created_at')) {
      const { [name as keyof ShownRecord]: _left, ...rest } = record;
      expect(isProven(await check({ created_at: record.created_at, ...rest })), name).toBe(false);
    }
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
      await page.getByRole('button', { name: 'Verify in this browser' }).click();
      const verify = page.getByRole('button', { name: 'Verify again' });
      await page.getByText('Proven', { exact: true }).waitFor();
      for (const place of places) {
        body = flip(place, place % 7);
        await verify.click();
        await page.getByText('Not proven', { exact: true }).waitFor();
        body = proof;
        await verify.click();
        await page.getByText('Proven', { exact: true }).waitFor();
      }
      body = await prove(others[0] ?? record);
      await verify.click();
      await page.getByText('It is not about this record as shown.').waitFor();
      expect(await page.getByText('Proven', { exact: true }).count()).toBe(0);
    } finally {
      await browser.stop();
    }
  });
});
