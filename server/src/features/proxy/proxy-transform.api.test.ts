import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proxyErrorOf, ProxyVault } from '../../../test/harness/proxy-vault.ts';
import { createApplication } from '../../../test/harness/test-application.ts';

let proxy: ProxyVault;
beforeAll(async () => {
  proxy = await ProxyVault.start();
});
afterAll(() => proxy.stop());

const json = { 'content-type': 'application/json' };

describe('a transform', () => {
  const rule = { priority: 1, container: '/', transform: 'reveal', permissions: ['token:use'] };

  it('reveal of the rule that grants token:use sends plaintext', async () => {
    const id = await proxy.store('4242424242424242', { type: 'card_number' });
    const { key } = await createApplication(proxy.vault, proxy.tenant, { permissions: [], rules: [rule] });
    await proxy.call({ key, body: `"{{ ${id} }}"`, headers: json });
    expect(proxy.destination.last.body.toString()).toBe('"4242424242424242"');
  });

  it.each(['mask', 'redact'])(
    '%s cannot be written beside token:use, by application, draft or session',
    async (transform) => {
      const rules = [{ ...rule, transform, permissions: ['token:read', 'token:use'] }];
      const { vault, tenant } = proxy;
      const { nonce } = (await vault.request('POST', '/sessions', { key: tenant.keys.public })).body as {
        nonce: string;
      };
      const { id } = await createApplication(vault, tenant);
      const { management } = tenant.keys;
      const answers = await Promise.all([
        vault.request('POST', '/applications', { key: management, body: { name: 'x', type: 'private', rules } }),
        vault.request('PUT', `/applications/${id}`, { key: management, body: { name: 'x', rules } }),
        vault.request('POST', '/access/explain', { key: management, body: { rules, container: '/' } }),
        vault.request('POST', '/sessions/authorize', { key: tenant.keys.private, body: { nonce, rules } }),
      ]);
      for (const answer of answers) {
        expect(answer).toMatchObject({
          status: 400,
          body: { errors: { 'rules.0.transform': [expect.stringContaining('grant token:use in a separate rule')] } },
        });
      }
    },
  );

  it.each(['mask', 'redact'])(
    '%s of a rule that an older version stored sends nothing and says why',
    async (transform) => {
      const id = await proxy.store('4242424242424242', { type: 'card_number' });
      const { vault, tenant, destination } = proxy;
      const application = await createApplication(vault, tenant, { permissions: ['token:use'], rules: [rule] });
      await vault.database.owner.query(
        `update applications set rules = replace(rules::text, '"reveal"', $2)::jsonb where id = $1`,
        [application.id, `"${transform}"`],
      );
      const before = destination.seen.length;
      const answer = await proxy.call({ key: application.key, body: `"{{ ${id} }}"`, headers: json });
      expect(answer.status).toBe(403);
      expect(proxyErrorOf(answer)['detail']).toContain(
        'Missing permission: token:use with the transform reveal on container /pci/high/.',
      );
      expect(destination.seen).toHaveLength(before);
      const explained = await vault.request('POST', '/access/explain', {
        key: tenant.keys.management,
        body: { application_id: application.id, token_id: id, permission: 'token:use' },
      });
      expect(explained.body).toEqual({
        decisions: [{ permission: 'token:use', is_allowed: false, reason: 'use-needs-reveal' }],
      });
    },
  );
});
