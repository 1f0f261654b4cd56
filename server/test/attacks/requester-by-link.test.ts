import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reveal } from '../harness/four-eyes.ts';
import { signInProven, welcome } from '../harness/portal-people.ts';
import type { PortalVisitor } from '../harness/portal-visitor.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * A member who requests a change counts as one of the two people who agree to it. In a test tenant, a session that
 * began with a link can request changes too, although a link only proves that somebody received it.
 */
let vault: TestVault;
let tenant: TestTenant;
let ben: PortalVisitor;
let cleo: PortalVisitor;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  [ben, cleo] = [(await signInProven(vault, tenant)).visitor, (await signInProven(vault, tenant)).visitor];
  const body = { name: 'Careful', settings: { approve_plaintext: 'true' } };
  await vault.request('PUT', '/tenants/self', { key: tenant.keys.management, body });
});
afterAll(() => vault.stop());

interface Requested {
  readonly id: string;
  readonly approval: { readonly id: string; readonly approvals_needed: number };
}

async function request(visitor: PortalVisitor): Promise<Requested> {
  const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Wide', type: 'private', rules: [reveal()] });
  const { status, text } = await visitor.send('POST', '/portal/api/applications', headers, body);
  expect(status).toBe(202);
  return JSON.parse(text) as Requested;
}

const approve = async (visitor: PortalVisitor, { approval }: Requested) =>
  (await visitor.post('/portal/approvals/approve', { tenant: tenant.id, request: approval.id })).status;

async function isInForce({ id }: Requested): Promise<boolean> {
  const { rows } = await vault.database.owner.query('select rules from applications where id = $1', [id]);
  return JSON.stringify(rows).includes('reveal');
}

describe('a change that is requested', () => {
  it('by a session begun by a link needs two others, as for a key', async () => {
    const { visitor: link } = await welcome(vault, tenant);
    const requested = await request(link);
    expect(requested.approval.approvals_needed).toBe(2);
    expect([await approve(ben, requested), await isInForce(requested)]).toEqual([303, false]);
    expect([await approve(link, requested), await isInForce(requested)]).toEqual([403, false]);
    expect([await approve(cleo, requested), await isInForce(requested)]).toEqual([303, true]);
  });

  it('by somebody who signed in with a way of their own needs one other', async () => {
    const requested = await request(ben);
    expect(requested.approval.approvals_needed).toBe(1);
    expect([await approve(cleo, requested), await isInForce(requested)]).toEqual([303, true]);
  });
});
