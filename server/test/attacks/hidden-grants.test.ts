import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/**
 * An audit record about a change of rights has a limited number of lines. Previously, the lines were sorted by priority
 * before they were cut off. The author of the rules chooses priorities, so a grant could be hidden behind rules that
 * show nothing.
 */
let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const everything = { priority: 900, container: '/', transform: 'reveal', permissions: ['token:read'] };
const decoys = (count: number, transform: string) =>
  Array.from({ length: count }, (_, priority) => ({
    priority,
    container: `/nowhere-${priority}-${'c'.repeat(300)}/`,
    transform,
    permissions: ['token:read'],
  }));

async function changesOf(id: string): Promise<string[][]> {
  const records = (await vault.auditRecords(tenant.id)).filter((record) => record['entity_id'] === id);
  return records.map(({ details }) => (JSON.parse(String(details)) as { changes: string[] }).changes);
}

async function create(rules: readonly object[]): Promise<string> {
  const body = { name: 'Harmless', type: 'private', rules };
  const made = await vault.request('POST', '/applications', { key: tenant.keys.management, body });
  expect(made.status, made.text).toBe(201);
  return (made.body as { id: string }).id;
}

describe('the record of a grant says that everything is revealed', () => {
  it.each(['redact', 'mask', 'reveal'])('behind rules that %s', async (transform) => {
    const [changes] = await changesOf(await create([...decoys(20, transform), everything]));
    expect(changes?.[0]).toBe('rule added: / reveal token:read (priority 900)');
    const widening =
      transform === 'reveal' ? /^and \d+ more, \d+ of which can widen access to plaintext$/ : /^and \d+ more$/;
    expect(changes?.at(-1)).toMatch(widening);
  });

  it('in an update too', async () => {
    const id = await create(decoys(1, 'redact'));
    const body = { name: 'Harmless', rules: [...decoys(20, 'redact'), everything] };
    const updated = await vault.request('PUT', `/applications/${id}`, { key: tenant.keys.management, body });
    expect(updated.status, updated.text).toBe(200);
    expect((await changesOf(id)).at(-1)?.[0]).toBe('rule added: / reveal token:read (priority 900)');
  });

  it('with what a rule shows, however long its container is', async () => {
    const container = `/${'c'.repeat(390)}/`;
    const [changes] = await changesOf(await create([{ ...everything, container }]));
    expect(changes).toEqual([`rule added: ${container} reveal token:read (priority 900)`]);
  });
});
