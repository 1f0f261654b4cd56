import { beforeAll, describe, expect, inject, it } from 'vitest';
import { addMember } from '../harness/add-member.ts';
import { collect } from '../harness/collect.ts';
import { makeTenant, type NewTenant } from '../harness/make-tenant.ts';
import { nodeClients } from '../harness/node-clients.ts';
import { thrownBy } from '../harness/thrown-by.ts';
import { untilRefused } from '../harness/until-refused.ts';
import { uuidV4 } from '../harness/value-forms.ts';

const vault = inject('vault');
const { url, keys } = vault;
const nobody = crypto.randomUUID();

describe.each(nodeClients)('$name', ({ open, errors }) => {
  let tenant: NewTenant;
  let client: ReturnType<typeof open>;
  beforeAll(async () => {
    tenant = await makeTenant(vault, 'owner@example.com');
    client = open(tenant.managementKey, url);
  });
  const strangers = open('nobody', url);
  const tokenKey = open(keys.private, url);
  const address = () => `${crypto.randomUUID()}@example.com`;

  describe('tenants.self.get', () => {
    it('shows the tenant that the key belongs to', async () => {
      expect(await client.tenants.self.get()).toMatchObject({
        id: tenant.id,
        name: 'Acme',
        type: 'production',
        ownerId: expect.stringMatching(uuidV4),
        createdAt: expect.any(Date),
      });
    });

    it('throws UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(strangers.tenants.self.get())).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.self.get())).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tenants.self.update', () => {
    it('changes the name and merges settings, preserving the case of their names', async () => {
      await client.tenants.self.update({ name: 'Acme', settings: { deduplicate_tokens: 'false' } });
      const updated = await client.tenants.self.update({ name: 'Acme 2', settings: { fingerprint_tokens: 'true' } });
      expect(updated).toMatchObject({
        name: 'Acme 2',
        settings: { deduplicate_tokens: 'false', fingerprint_tokens: 'true' },
        modifiedAt: expect.any(Date),
      });
    });

    it('throws BadRequestError, UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(client.tenants.self.update({ name: '' }))).toBeInstanceOf(errors.badRequest);
      expect(await thrownBy(strangers.tenants.self.update({ name: 'x' }))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.self.update({ name: 'x' }))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tenants.self.getUsageReports', () => {
    it('counts tokens', async () => {
      expect((await client.tenants.self.getUsageReports()).totalTokens).toBe(0);
      const { key = '' } = await client.applications.create({
        name: 'A',
        type: 'private',
        permissions: ['token:create'],
      });
      await open(key, url).tokens.create({ type: 'token', data: 'x' });
      expect((await client.tenants.self.getUsageReports()).totalTokens).toBe(1);
    });

    it('throws UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(strangers.tenants.self.getUsageReports())).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.self.getUsageReports())).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tenants.owner.get', () => {
    it('returns the owner', async () => {
      expect(await client.tenants.owner.get()).toMatchObject({
        tenantId: tenant.id,
        role: 'OWNER',
        user: { email: 'owner@example.com' },
      });
    });

    it('throws UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(strangers.tenants.owner.get())).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.owner.get())).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tenants.members.list', () => {
    it('paginates, and filters by user', async () => {
      const email = address();
      const id = await addMember(vault, tenant.id, email);
      const page = await client.tenants.members.list({ size: 1 });
      const { pagination, data = [] } = page;
      // Version 6 paginates automatically and has the response inside the page object.
      const { response } = page as { response?: { pagination?: object } };
      expect(pagination ?? response?.pagination).toMatchObject({
        pageNumber: 1,
        pageSize: 1,
        totalItems: expect.any(Number),
      });
      expect(data).toMatchObject([{ id, role: 'ADMIN', user: { email }, createdDate: expect.any(Date) }]);
      const userId = data[0]?.user?.id ?? '';
      expect((await client.tenants.members.list({ userId: [userId, nobody] })).data).toHaveLength(1);
      expect((await client.tenants.members.list({ page: 99 })).data).toEqual([]);
    });

    it('throws UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(strangers.tenants.members.list())).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.members.list())).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tenants.members.update', () => {
    it('changes the role', async () => {
      const id = await addMember(vault, tenant.id, address());
      expect(await client.tenants.members.update(id, { role: 'READ_ONLY' })).toMatchObject({ id, role: 'READ_ONLY' });
    });

    it('throws NotFoundError, UnauthorizedError and ForbiddenError', async () => {
      const role = 'ADMIN';
      expect(await thrownBy(client.tenants.members.update(nobody, { role }))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(strangers.tenants.members.update(nobody, { role }))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.members.update(nobody, { role }))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tenants.members.delete', () => {
    it('removes the member', async () => {
      const id = await addMember(vault, tenant.id, address());
      await client.tenants.members.delete(id);
      const { data = [] } = await client.tenants.members.list({ size: 50 });
      expect(data.map((member) => member.id)).not.toContain(id);
    });

    it('throws UnprocessableEntityError for the owner', async () => {
      const { id = '' } = await client.tenants.owner.get();
      expect(await thrownBy(client.tenants.members.delete(id))).toBeInstanceOf(errors.unprocessable);
    });

    it('throws NotFoundError, UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(client.tenants.members.delete(nobody))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(strangers.tenants.members.delete(nobody))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.members.delete(nobody))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tenants.invitations.create', () => {
    it('invites for 72 hours', async () => {
      const email = address();
      const before = Date.now();
      const { expiresAt = new Date(0), ...made } = await client.tenants.invitations.create({ email });
      expect(made).toMatchObject({ tenantId: tenant.id, email, status: 'PENDING', role: 'ADMIN' });
      expect((expiresAt.getTime() - before) / 3_600_000).toBeCloseTo(72, 1);
    });

    it('throws BadRequestError for an invalid address, UnauthorizedError and ForbiddenError', async () => {
      const email = address();
      expect(await thrownBy(client.tenants.invitations.create({ email: 'a b' }))).toBeInstanceOf(errors.badRequest);
      expect(await thrownBy(strangers.tenants.invitations.create({ email }))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.invitations.create({ email }))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tenants.invitations.resend', () => {
    it('makes it pending again, with a later expiry', async () => {
      const made = await client.tenants.invitations.create({ email: address() });
      const again = await client.tenants.invitations.resend(made.id ?? '');
      expect(again).toMatchObject({ id: made.id, status: 'PENDING' });
      expect(again.expiresAt?.getTime()).toBeGreaterThan(made.expiresAt?.getTime() ?? Number.NaN);
    });

    it('throws UnauthorizedError, ForbiddenError and status 404', async () => {
      expect(await thrownBy(strangers.tenants.invitations.resend(nobody))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.invitations.resend(nobody))).toBeInstanceOf(errors.forbidden);
      expect(await thrownBy(client.tenants.invitations.resend(nobody))).toMatchObject({ statusCode: 404 });
    });
  });

  describe('tenants.invitations.list', () => {
    it('paginates until an empty page, and filters by status', async () => {
      const { id } = await client.tenants.invitations.create({ email: address() });
      const { id: second } = await client.tenants.invitations.create({ email: address() });
      const listed = await collect(await client.tenants.invitations.list({ status: 'PENDING', size: 1 }));
      expect(listed.slice(0, 2).map((invitation) => invitation.id)).toEqual([second, id]);
      expect((await client.tenants.invitations.list({ status: 'EXPIRED' })).data).toEqual([]);
    });

    it('throws UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(strangers.tenants.invitations.list())).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.invitations.list())).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tenants.invitations.get', () => {
    it('returns an invitation', async () => {
      const { id = '', email } = await client.tenants.invitations.create({ email: address() });
      expect(await client.tenants.invitations.get(id)).toMatchObject({ id, email, status: 'PENDING' });
    });

    it('throws NotFoundError, UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(client.tenants.invitations.get(nobody))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(strangers.tenants.invitations.get(nobody))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.invitations.get(nobody))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tenants.invitations.delete', () => {
    it('removes the invitation', async () => {
      const { id = '' } = await client.tenants.invitations.create({ email: address() });
      await client.tenants.invitations.delete(id);
      expect(await thrownBy(client.tenants.invitations.get(id))).toBeInstanceOf(errors.notFound);
    });

    it('throws NotFoundError, UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(client.tenants.invitations.delete(nobody))).toBeInstanceOf(errors.notFound);
      expect(await thrownBy(strangers.tenants.invitations.delete(nobody))).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.invitations.delete(nobody))).toBeInstanceOf(errors.forbidden);
    });
  });

  describe('tenants.self.delete', () => {
    it('throws UnauthorizedError and ForbiddenError', async () => {
      expect(await thrownBy(strangers.tenants.self.delete())).toBeInstanceOf(errors.unauthorized);
      expect(await thrownBy(tokenKey.tenants.self.delete())).toBeInstanceOf(errors.forbidden);
    });

    it('deletes the tenant, whose keys are refused', async () => {
      await client.tenants.self.delete();
      expect(await untilRefused(() => client.tenants.self.get())).toBeInstanceOf(errors.unauthorized);
    });
  });
});
