import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordsOf } from '../../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import { parseTenantId } from '../../../core/identity/ids.ts';
import { InvitationLinks, InvitationService } from '../../invitations/index.ts';
import { InvitationAcceptance, UserSessions } from '../index.ts';
import type { StartedSession } from '../people/user-sessions.ts';

const hour = 60 * 60;
const origin = { requestId: 'test', sourceAddress: '192.0.2.1' };
let vault: TestVault;
let tenant: TestTenant;
let caller: KeyCaller;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  caller = {
    tenantId: parseTenantId(tenant.id),
    requestId: 'test',
    sourceAddress: '192.0.2.1',
    ...(await identityOf(tenant)),
  };
});
afterAll(() => vault.stop());

async function identityOf({ keys }: TestTenant) {
  const own = (await vault.request('GET', '/applications/key', { key: keys.management })).body as { id: string };
  const rule = {
    description: '',
    priority: 1,
    container: '/',
    transform: 'mask',
    permissions: ['tenant:invitation:create'],
  };
  return {
    applicationId: own.id as KeyCaller['applicationId'],
    applicationType: 'management' as const,
    keyId: crypto.randomUUID() as KeyCaller['keyId'],
    grants: { rules: [rule] } as unknown as KeyCaller['grants'],
  };
}

/** Returns the services with a clock that is this many hours ahead. */
function after(hours: number) {
  const { database, audit, systemKeys } = vault.server.core;
  const clock = { aheadSeconds: hours * hour };
  const links = new InvitationLinks({ systemKeys, publicUrl: 'https://vault.example.com' });
  const sessions = new UserSessions({ database, systemKeys, audit, clock });
  return {
    invitations: new InvitationService({ database, audit, links, clock }),
    acceptance: new InvitationAcceptance({ database, links, sessions, clock }),
    sessions,
  };
}
const newAddress = () => `${crypto.randomUUID()}@example.com`;
const invite = (email = newAddress(), role: 'ADMIN' | 'READ_ONLY' = 'ADMIN') =>
  after(0).invitations.create(caller.tenantId, caller, { email, role });
async function linkOf(id: string): Promise<string> {
  const address = (await after(0).invitations.showLink(caller.tenantId, id)) ?? '';
  return address.slice(address.lastIndexOf('/') + 1);
}
/** Accepts an invitation as a visitor who is not signed in, and returns the new session. */
async function accept(link: string, hours = 0): Promise<StartedSession> {
  const started = await after(hours).acceptance.accept(link, undefined, origin);
  if (started === undefined) throw new Error('A newcomer was not signed in.');
  return started;
}
const isOffered = async (link: string, hours = 0) =>
  (await after(hours).acceptance.find(link, undefined))?.details.status === 'PENDING';
const statusOf = async (id: string, hours: number) => (await after(hours).invitations.get(caller, id)).status;
async function membersOf(email: string) {
  const { rows } = await vault.database.owner.query<{ id: string; role: string; created_by: string | null }>(
    `select m.id, m.role, m.created_by from members m join users u on u.id = m.user_id
      where m.tenant_id = $1 and lower(u.email) = lower($2)`,
    [tenant.id, email],
  );
  return rows;
}
const refused = { code: 'not-found', message: 'This invitation is no longer valid. Ask for a new one.' };

/** Each test is named after the state of an invitation, the event and the next state. */
describe('the states of an invitation', () => {
  it('none → created → PENDING for 72 hours', async () => {
    const { id, expiresAt, createdAt } = await invite();
    expect(expiresAt.getTime() - createdAt.getTime()).toBe(72 * hour * 1_000);
    const link = await linkOf(id);
    for (const hours of [0, 71.99]) {
      expect([hours, await statusOf(id, hours), await isOffered(link, hours)]).toEqual([hours, 'PENDING', true]);
    }
  });

  it('PENDING → time passes → EXPIRED, and its link is worth nothing', async () => {
    const { id, email } = await invite();
    const link = await linkOf(id);
    expect([await statusOf(id, 72.01), await isOffered(link, 72.01)]).toEqual(['EXPIRED', false]);
    await expect(accept(link, 72.01)).rejects.toMatchObject(refused);
    expect(await membersOf(email)).toEqual([]);
  });

  it('PENDING → resent → PENDING for 72 hours more, with another link', async () => {
    const { id, email, expiresAt } = await invite();
    const first = await linkOf(id);
    const resent = await after(10).invitations.resend(caller, id);
    expect(resent.expiresAt.getTime() - expiresAt.getTime()).toBe(72 * hour * 1_000);
    const second = await linkOf(id);
    expect(await statusOf(id, 143.9)).toBe('PENDING');
    expect(await statusOf(id, 144.1)).toBe('EXPIRED');
    await expect(accept(first, 11)).rejects.toMatchObject(refused);
    expect(await membersOf(email)).toEqual([]);
    await accept(second, 143);
    expect(await membersOf(email)).toHaveLength(1);
  });

  it('EXPIRED → resent → PENDING for 72 hours from then', async () => {
    const { id, email } = await invite();
    const first = await linkOf(id);
    expect(await after(500).invitations.resend(caller, id)).toMatchObject({ status: 'PENDING' });
    expect([await statusOf(id, 571.9), await statusOf(id, 572.1)]).toEqual(['PENDING', 'EXPIRED']);
    await expect(accept(first, 501)).rejects.toMatchObject(refused);
    await accept(await linkOf(id), 571);
    expect(await membersOf(email)).toHaveLength(1);
  });

  it.each([
    ['PENDING', 1],
    ['EXPIRED', 100],
  ])('%s → deleted → gone, and its link with it', async (_, hours) => {
    const { id, email } = await invite();
    const link = await linkOf(id);
    await after(hours).invitations.delete(caller, id);
    await expect(accept(link)).rejects.toMatchObject(refused);
    await expect(after(hours).invitations.get(caller, id)).rejects.toMatchObject({ code: 'not-found' });
    await expect(after(hours).invitations.resend(caller, id)).rejects.toMatchObject({ code: 'not-found' });
    expect(await membersOf(email)).toEqual([]);
    // The address can be invited again.
    await invite(email);
  });

  it('PENDING → accepted → gone, with a member and a session in its place, all on record', async () => {
    const { id, email } = await invite(newAddress(), 'READ_ONLY');
    const started = await accept(await linkOf(id), 71);
    const [member] = await membersOf(email);
    expect(member).toMatchObject({ role: 'READ_ONLY', created_by: caller.applicationId });
    await expect(after(71).invitations.get(caller, id)).rejects.toMatchObject({ code: 'not-found' });
    const session = await after(71).sessions.find(started.cookie);
    expect(session).toMatchObject({ user: { email }, memberships: [{ tenantId: tenant.id, role: 'READ_ONLY' }] });
    const userId = session?.user.id;
    expect((await recordsOf(vault, tenant, id)).at(-1)).toMatchObject({
      operation: 'accept',
      actor_type: 'user',
      actor_id: userId,
      source_address: '192.0.2.1',
      key_id: null,
    });
    expect(await recordsOf(vault, tenant, member?.id ?? '')).toMatchObject([
      {
        entity_type: 'member',
        operation: 'create',
        actor_type: 'user',
        actor_id: userId,
        details: expect.stringContaining('role added: READ_ONLY'),
      },
    ]);
    expect(await recordsOf(vault, tenant, started.id)).toMatchObject([
      { entity_type: 'session', operation: 'sign_in' },
    ]);
  });

  it('accepted → accepted again → refused', async () => {
    const { id, email } = await invite();
    const link = await linkOf(id);
    await accept(link);
    await expect(accept(link)).rejects.toMatchObject(refused);
    expect(await membersOf(email)).toHaveLength(1);
  });

  it('PENDING → accepted ten times at once → one member, one session', async () => {
    const { id, email } = await invite();
    const link = await linkOf(id);
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => accept(link)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await membersOf(email)).toHaveLength(1);
    const { rows } = await vault.database.owner.query(
      'select from user_sessions s join users u on u.id = s.user_id where u.email = $1',
      [email],
    );
    expect(rows).toHaveLength(1);
  });

  it('PENDING → accepted and deleted at once → one of both', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, email } = await invite();
      const link = await linkOf(id);
      const [accepted, deleted] = await Promise.allSettled([accept(link), after(0).invitations.delete(caller, id)]);
      expect([accepted.status, deleted.status].sort()).toEqual(['fulfilled', 'rejected']);
      expect(await membersOf(email)).toHaveLength(accepted.status === 'fulfilled' ? 1 : 0);
    }
  });

  it('looking at it changes nothing, however often', async () => {
    const { id, email } = await invite();
    const link = await linkOf(id);
    for (let look = 0; look < 20; look += 1) expect(await isOffered(link)).toBe(true);
    expect(await membersOf(email)).toEqual([]);
    expect(await statusOf(id, 0)).toBe('PENDING');
  });

  it.each(['', 'x', '1'.repeat(44), 'z'.repeat(44), '0'.repeat(44)])('%j is no link', async (link) => {
    expect(await after(0).acceptance.find(link, undefined)).toBeUndefined();
    await expect(accept(link)).rejects.toMatchObject(refused);
  });
});

describe('an address that is somebody already', () => {
  it('cannot be entered by a link: they have to be signed in', async () => {
    const other = await vault.makeTenant();
    const email = newAddress();
    const first = await invite(email);
    const started = await accept(await linkOf(first.id));

    const elsewhere = await after(0).invitations.create(parseTenantId(other.id), 'system', {
      email: email.toUpperCase(),
      role: 'ADMIN',
    });
    const address = (await after(0).invitations.showLink(parseTenantId(other.id), elsewhere.id)) ?? '';
    const link = address.slice(address.lastIndexOf('/') + 1);
    expect(await after(0).acceptance.find(link, undefined)).toMatchObject({ needsSignIn: true });
    await expect(accept(link)).rejects.toMatchObject({ code: 'forbidden' });
    // The rejected attempt has not used up the link.
    const session = await after(0).sessions.find(started.cookie);
    expect(await after(0).acceptance.find(link, session)).toMatchObject({ needsSignIn: false });
    expect(await after(0).acceptance.accept(link, session, origin)).toBeUndefined();
    const both = await after(0).sessions.find(started.cookie);
    expect(both?.user.id).toBe(session?.user.id);
    expect(both?.memberships.map(({ tenantId }) => tenantId).sort()).toEqual([tenant.id, other.id].sort());
  });

  it('cannot be entered by somebody else who is signed in', async () => {
    const victim = await invite();
    await accept(await linkOf(victim.id));
    const intruder = await invite();
    const started = await accept(await linkOf(intruder.id));
    const session = await after(0).sessions.find(started.cookie);
    const other = await vault.makeTenant();
    const again = await after(0).invitations.create(parseTenantId(other.id), 'system', {
      email: victim.email,
      role: 'ADMIN',
    });
    const address = (await after(0).invitations.showLink(parseTenantId(other.id), again.id)) ?? '';
    await expect(
      after(0).acceptance.accept(address.slice(address.lastIndexOf('/') + 1), session, origin),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is made once when two tenants invite a new one and both links are used at once', async () => {
    const other = await vault.makeTenant();
    const email = newAddress();
    const first = await linkOf((await invite(email)).id);
    const made = await after(0).invitations.create(parseTenantId(other.id), 'system', { email, role: 'ADMIN' });
    const address = (await after(0).invitations.showLink(parseTenantId(other.id), made.id)) ?? '';
    const second = address.slice(address.lastIndexOf('/') + 1);
    const outcomes = await Promise.allSettled([accept(first), accept(second)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { rows } = await vault.database.owner.query('select from users where email = $1', [email]);
    expect(rows).toHaveLength(1);
  });
});

describe('a session', () => {
  it('ends after a quarter of an hour of silence, and after twelve hours in any case', async () => {
    const { id } = await invite();
    const { cookie } = await accept(await linkOf(id));
    const isAlive = async (minutes: number) => (await after(minutes / 60).sessions.find(cookie)) !== undefined;
    expect(await isAlive(14)).toBe(true);
    expect(await isAlive(28)).toBe(true);
    expect(await isAlive(44)).toBe(false);
    for (let minutes = 28; minutes < 12 * 60; minutes += 12)
      expect([minutes, await isAlive(minutes)]).toEqual([minutes, true]);
    expect(await isAlive(12 * 60 + 1)).toBe(false);
  });

  it('is fresh for a quarter of an hour', async () => {
    const { id } = await invite();
    const { cookie } = await accept(await linkOf(id));
    expect((await after(14 / 60).sessions.find(cookie))?.isFresh).toBe(true);
    expect((await after(16 / 60).sessions.find(cookie))?.isFresh).toBe(false);
  });
});
