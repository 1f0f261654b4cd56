import { beforeAll, describe, expect, inject, it } from 'vitest';
import { addMember } from '../harness/add-member.ts';
import { type BrowserClient, browserClientName, openBrowserClient } from '../harness/browser-client.ts';
import { differs } from '../harness/differs.ts';
import { makeTenant, type NewTenant } from '../harness/make-tenant.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { untilRefused } from '../harness/until-refused.ts';
import { isoTimestamp, uuidV4 } from '../harness/value-forms.ts';

const vault = inject('vault');
const { url, keys } = vault;
const nobody = crypto.randomUUID();
let tenant: NewTenant;
let client: BrowserClient;
let tokenKey: BrowserClient;
beforeAll(async () => {
  tenant = await makeTenant(vault, 'owner@example.com');
  client = await openBrowserClient(tenant.managementKey, url);
  tokenKey = await openBrowserClient(keys.private, url);
});
const wanted = { name: 'Checkout', type: 'private', permissions: ['token:create'] } as const;
const make = async () => client.applications.create({ ...wanted, permissions: [...wanted.permissions] });
const address = () => `${crypto.randomUUID()}@example.com`;

describe(browserClientName, () => {
  describe('applications.create', () => {
    it('returns the secret once', async () => {
      const made = await make();
      expect(made).toMatchObject({ ...wanted, tenantId: tenant.id, key: expect.stringMatching(/^key_prod_pvt_/) });
      expect(made.keys?.[0]?.key).toBe(made.key);
    });

    it('throws 400 and 403', async () => {
      const bad = { ...wanted, permissions: ['log:read'] };
      expect(await thrownBy(client.applications.create(bad))).toMatchObject({ status: 400 });
      expect(await thrownBy(tokenKey.applications.create(bad))).toMatchObject({ status: 403 });
    });
  });

  describe('applications.retrieve', () => {
    it('returns an application', async () => {
      const { id } = await make();
      expect(await client.applications.retrieve(id)).toMatchObject({ ...wanted, id });
    });

    it('throws 404', async () => {
      expect(await thrownBy(client.applications.retrieve(nobody))).toMatchObject({ status: 404 });
    });
  });

  describe.each(['retrieveByKey', 'getApplicationByKey'] as const)('applications.%s', (name) => {
    it('returns the application of the calling key', async () => {
      const { id, key = '' } = await make();
      const own = (await openBrowserClient(key, url)).applications as unknown as Record<
        typeof name,
        () => Promise<{ id: string }>
      >;
      expect((await own[name]()).id).toBe(id);
    });
  });

  describe('applications.update', () => {
    it('replaces name and permissions', async () => {
      const { id } = await make();
      const change = { name: 'New', permissions: ['token:use'] };
      expect(await client.applications.update(id, change)).toMatchObject({ id, ...change });
    });

    it('throws 404', async () => {
      expect(
        await thrownBy(client.applications.update(nobody, { name: 'x', permissions: ['token:use'] })),
      ).toMatchObject({
        status: 404,
      });
    });
  });

  describe('applications.list', () => {
    it('filters by id and paginates', async () => {
      const ids = [await make(), await make()].map(({ id }) => id);
      const { data, pagination } = await client.applications.list({ id: ids, size: 1 });
      expect(data.map(({ id }) => id)).toEqual(ids.slice(1));
      expect(pagination).toMatchObject({ totalItems: 2, totalPages: 2 });
    });
  });

  describe('applications.delete', () => {
    it('revokes its keys', async () => {
      const { id, key = '' } = await make();
      await client.applications.delete(id);
      const ended = await openBrowserClient(key, url);
      expect(await untilRefused(() => ended.applications.retrieveByKey())).toMatchObject({ status: 401 });
      expect(await thrownBy(client.applications.delete(id))).toMatchObject({ status: 404 });
    });
  });

  describe('applicationKeys.create', () => {
    it('creates a second key that works', async () => {
      const { id } = await make();
      const { key = '' } = await client.applicationKeys.create(id);
      expect((await (await openBrowserClient(key, url)).applications.retrieveByKey()).id).toBe(id);
    });
  });

  describe('applicationKeys.get', () => {
    it('lists keys without their secrets', async () => {
      const { id } = await make();
      const listed = await client.applicationKeys.get(id);
      expect(listed).toMatchObject([{ id: expect.stringMatching(uuidV4) }]);
      expect(listed[0]).not.toHaveProperty('key');
    });
  });

  describe('applicationKeys.getById', () => {
    it('returns a key', async () => {
      const { id } = await make();
      const { id: keyId = '' } = await client.applicationKeys.create(id);
      expect(await client.applicationKeys.getById(id, keyId)).toMatchObject({ id: keyId });
      expect(await thrownBy(client.applicationKeys.getById(id, nobody))).toMatchObject({ status: 404 });
    });
  });

  describe('applicationKeys.delete', () => {
    it('deletes one key', async () => {
      const { id } = await make();
      const { id: keyId = '', key = '' } = await client.applicationKeys.create(id);
      await client.applicationKeys.delete(id, keyId);
      const ended = await openBrowserClient(key, url);
      expect(await untilRefused(() => ended.applications.retrieveByKey())).toMatchObject({ status: 401 });
    });
  });

  describe('applicationTemplates.list', () => {
    it('lists application templates', async () => {
      expect(await client.applicationTemplates.list()).toContainEqual(
        expect.objectContaining({ applicationType: 'public', permissions: ['token:create'] }),
      );
    });
  });

  describe('applicationTemplates.retrieve', () => {
    it('returns one of the list', async () => {
      const [template] = await client.applicationTemplates.list();
      expect(await client.applicationTemplates.retrieve(template?.id ?? '')).toEqual(template);
    });
  });

  describe('permissions.list', () => {
    it('lists permissions of one application type', async () => {
      const listed = await client.permissions.list({ applicationType: 'public' });
      expect(listed.map(({ type }) => type)).toEqual(['token:create', 'token:update', 'token-intent:create']);
    });
  });

  describe('logs.list', () => {
    it('filters and paginates', async () => {
      const { id } = await make();
      await client.applications.retrieve(id);
      const { data, pagination } = await client.logs.list({ entityType: 'application', entityId: id, size: 1 });
      expect(data).toMatchObject([{ entityId: id, operation: 'read', createdAt: expect.stringMatching(isoTimestamp) }]);
      expect(pagination).toMatchObject({ totalItems: 2, totalPages: 2 });
    });

    it('throws 403', async () => {
      expect(await thrownBy(tokenKey.logs.list())).toMatchObject({ status: 403 });
    });
  });

  describe('tenants.retrieve', () => {
    it('shows the tenant that the key belongs to', async () => {
      expect(await client.tenants.retrieve()).toMatchObject({ id: tenant.id, ownerId: expect.stringMatching(uuidV4) });
    });
  });

  describe('tenants.update', () => {
    it('changes the name and merges settings', async () => {
      const change = { name: 'Acme 2', settings: { deduplicate_tokens: 'true' } };
      expect(await client.tenants.update(change)).toMatchObject({ name: 'Acme 2' });
    });
  });

  describe('tenants.retrieveUsageReport', () => {
    it('counts tokens, but not monthly active tokens', async ({ task }) => {
      differs(task, 'There is no usage-based billing, so there is nothing to track.');
      const report = await client.tenants.retrieveUsageReport();
      expect(report.tokenReport).not.toHaveProperty('monthlyActiveTokens');
      expect(report).toMatchObject({
        totalTokens: 0,
        tokenReport: { totalTokens: 0 },
      });
    });
  });

  describe('tenants.createInvitation', () => {
    it('invites', async () => {
      const email = address();
      expect(await client.tenants.createInvitation({ email })).toMatchObject({ email, status: 'PENDING' });
      expect(await thrownBy(client.tenants.createInvitation({ email: 'a b' }))).toMatchObject({ status: 400 });
    });
  });

  describe('tenants.resendInvitation', () => {
    it('makes it pending again', async () => {
      const { id } = await client.tenants.createInvitation({ email: address() });
      expect(await client.tenants.resendInvitation(id)).toMatchObject({ id, status: 'PENDING' });
      expect(await thrownBy(client.tenants.resendInvitation(nobody))).toMatchObject({ status: 404 });
    });
  });

  describe('tenants.listInvitations', () => {
    it('filters by status', async () => {
      const { id } = await client.tenants.createInvitation({ email: address() });
      const { data } = await client.tenants.listInvitations({ status: 'PENDING', size: 1 });
      expect(data).toMatchObject([{ id }]);
    });
  });

  describe('tenants.retrieveInvitation', () => {
    it('returns an invitation', async () => {
      const { id } = await client.tenants.createInvitation({ email: address() });
      expect(await client.tenants.retrieveInvitation(id)).toMatchObject({ id });
      expect(await thrownBy(client.tenants.retrieveInvitation(nobody))).toMatchObject({ status: 404 });
    });
  });

  describe('tenants.deleteInvitation', () => {
    it('removes it', async () => {
      const { id } = await client.tenants.createInvitation({ email: address() });
      await client.tenants.deleteInvitation(id);
      expect(await thrownBy(client.tenants.retrieveInvitation(id))).toMatchObject({ status: 404 });
    });
  });

  describe('tenants.listMembers', () => {
    it('lists members, newest first', async () => {
      const id = await addMember(vault, tenant.id, address());
      const { data } = await client.tenants.listMembers({ size: 50 });
      expect(data.map((member) => member.role)).toContain('OWNER');
      expect(data[0]).toMatchObject({ id, createdAt: expect.stringMatching(isoTimestamp) });
    });
  });

  describe('tenants.deleteMember', () => {
    it('removes a member, but not the owner', async () => {
      const id = await addMember(vault, tenant.id, address());
      await client.tenants.deleteMember(id);
      const { data } = await client.tenants.listMembers({ size: 50 });
      expect(data.map((member) => member.id)).not.toContain(id);
      const owner = data.find(({ role }) => role === 'OWNER');
      expect(await thrownBy(client.tenants.deleteMember(owner?.id ?? ''))).toMatchObject({ status: 422 });
    });
  });

  describe('tenants.delete', () => {
    it('deletes the tenant, whose keys are refused', async () => {
      const last = await makeTenant(vault);
      const ending = await openBrowserClient(last.managementKey, url);
      await ending.tenants.delete();
      expect(await untilRefused(() => ending.tenants.retrieve())).toMatchObject({ status: 401 });
    });
  });
});
