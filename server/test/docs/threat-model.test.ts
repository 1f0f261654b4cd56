import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

// docs/security/threat-model.md states what an attacker who can write to the database can do. If one of these tests
// fails because an attack no longer works, the page is too pessimistic.

const page = readFileSync(new URL('../../../docs/security/threat-model.md', import.meta.url), 'utf8');
const secret = 'plaintext of the threat model';
let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

async function store(): Promise<string> {
  const body = { type: 'token', data: secret, mask: '{{ data | last4 }}' };
  const { body: created } = await vault.request('POST', '/tokens', { key: tenant.keys.private, body });
  return (created as { id: string }).id;
}
const read = async (id: string, key: string) => (await vault.request('GET', `/tokens/${id}`, { key })).text;
const write = (statement: string, values: readonly unknown[]) =>
  vault.database.owner.query(statement, [tenant.id, ...values]);

describe('somebody who can write to the database, and has a key', () => {
  it('is described as such', () => {
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      '**With any valid API key they then read plaintext through the running vault**',
    );
  });

  it('reads plaintext by changing the mask of a token, and the log says who read it', async () => {
    const id = await store();
    expect(await read(id, tenant.keys.private)).not.toContain(secret);
    await write('update tokens set mask = $3 where tenant_id = $1 and id = $2', [id, '"{{ data }}"']);
    expect(await read(id, tenant.keys.private)).toContain(secret);
    const reads = (await vault.auditRecords(tenant.id)).filter(({ operation }) => operation === 'read');
    expect(reads.at(-1)).toMatchObject({ entity_id: id, transform: 'mask', outcome: 'success' });
  });

  it('reads plaintext by changing the rights of an application', async () => {
    const id = await store();
    const rule = { description: '', priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] };
    await write(`update applications set rules = $2 where tenant_id = $1 and name = 'public'`, [
      JSON.stringify([rule]),
    ]);
    await expect.poll(() => read(id, tenant.keys.public)).toContain(secret);
  });
});
