import { describe, expect, inject, it } from 'vitest';
import { untilTrue } from '../../server/test/harness/deadline.ts';
import { linkIn } from '../../server/test/harness/mail-server.ts';
import { ApiCaller, fieldsOf, type PageResponse } from '../harness/api-caller.ts';
import { databaseOf } from '../harness/database-of.ts';
import { readMails } from '../harness/mailbox.ts';
import { makeApplication } from '../harness/make-application.ts';
import { isoTimestamp, uuidV4 } from '../harness/value-forms.ts';

interface InvitationAnswer {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  readonly expires_at: string;
}

const vault = inject('limitedVault');
const manager = new ApiCaller(vault, vault.keys.management);
const address = () => `${crypto.randomUUID()}@example.com`;
async function invite(email = address()): Promise<InvitationAnswer> {
  const answer = await manager.post('/tenants/self/invitations', { email });
  expect(answer.status).toBe(201);
  return answer.body as InvitationAnswer;
}
async function find(id: string): Promise<InvitationAnswer> {
  return (await manager.get(`/tenants/self/invitations/${id}`)).body as InvitationAnswer;
}
/** Expires an invitation immediately instead of after 72 hours. */
const expire = (id: string) =>
  databaseOf(vault)(`update invitations set expires_at = now() - interval '1 minute' where id = $1`, [id]);
const hoursAhead = ({ expires_at }: InvitationAnswer) => (new Date(expires_at).getTime() - Date.now()) / 3_600_000;
async function linksTo(email: string, count: number): Promise<string[]> {
  let links: string[] = [];
  const haveCome = async () => {
    links = (await readMails(inject('mailboxUrl'))).filter(({ to }) => to.includes(email)).map(linkIn);
    return links.length >= count;
  };
  await untilTrue(haveCome, { waitingFor: 'a mail' });
  return links;
}

describe('Resources: tenant invitation object', () => {
  it('has an id, a tenant, an address, a status, an end and who made it when', async () => {
    const email = address();
    const { id: applicationId } = (await manager.get('/applications/key')).body as { id: string };
    expect(await invite(email)).toMatchObject({
      id: expect.stringMatching(uuidV4),
      tenant_id: vault.tenantId,
      email,
      status: 'PENDING',
      expires_at: expect.stringMatching(isoTimestamp),
      created_by: applicationId,
      created_at: expect.stringMatching(isoTimestamp),
    });
  });
});

describe('States: tenant invitation', () => {
  it('created: pending, for 72 hours, and a mail with a link is sent', async () => {
    const email = address();
    const invitation = await invite(email);
    expect(invitation.status).toBe('PENDING');
    expect(hoursAhead(invitation)).toBeCloseTo(72, 1);
    expect((await linksTo(email, 1))[0]).toMatch(/^https:\/\/vault\.example\/portal\/invitations\/\w+$/);
  });

  it('its time reached: expired', async () => {
    const { id } = await invite();
    await expire(id);
    expect((await find(id)).status).toBe('EXPIRED');
  });

  it.each(['pending', 'expired'])('%s and resent: pending, for 72 hours more, with another link', async (state) => {
    const email = address();
    const { id } = await invite(email);
    await linksTo(email, 1);
    if (state === 'expired') await expire(id);
    const answer = await manager.post(`/tenants/self/invitations/${id}/resend`);
    expect(answer).toMatchObject({ status: 200, body: { id, status: 'PENDING' } });
    expect(hoursAhead(await find(id))).toBeGreaterThan(71.9);
    const [first, second] = await linksTo(email, 2);
    expect(second).not.toBe(first);
  });

  it.each(['pending', 'expired'])('%s and deleted: gone', async (state) => {
    const { id } = await invite();
    if (state === 'expired') await expire(id);
    expect(await manager.delete(`/tenants/self/invitations/${id}`)).toMatchObject({ status: 204, text: '' });
    expect((await manager.get(`/tenants/self/invitations/${id}`)).status).toBe(404);
  });
});

describe('Endpoints: invitations', () => {
  it('POST: email is required', async () => {
    expect(fieldsOf(await manager.post('/tenants/self/invitations', {}))).toEqual(['email']);
  });

  it.each([
    'nobody',
    'a b@example.com',
    'a@',
    '@example.com',
    'a@b@example.com',
    'a@example.com\r\nBcc: b@example.com',
  ])('POST: email is a well-formed address: %j is not', async (email) => {
    const answer = await manager.post('/tenants/self/invitations', { email });
    expect({ status: answer.status, fields: fieldsOf(answer) }).toEqual({ status: 400, fields: ['email'] });
  });

  it('POST resend: needs the permission to create as well as the one to update', async () => {
    const { id } = await invite();
    const resend = async (permissions: string[]) => {
      const { caller } = await makeApplication(vault, { type: 'management', permissions });
      return (await caller.post(`/tenants/self/invitations/${id}/resend`)).status;
    };
    expect(await resend(['tenant:invitation:create'])).toBe(403);
    expect(await resend(['tenant:invitation:update'])).toBe(403);
    expect(await resend(['tenant:invitation:create', 'tenant:invitation:update'])).toBe(200);
  });

  it('POST resend: is an error when there is none', async () => {
    expect((await manager.post(`/tenants/self/invitations/${crypto.randomUUID()}/resend`)).status).toBe(404);
  });

  it('GET list: the first page of 20 where page and size are left out, at most 100', async () => {
    const { id } = await invite();
    const page = (await manager.get('/tenants/self/invitations')).body as PageResponse<InvitationAnswer>;
    expect(page.pagination).toMatchObject({ page_number: 1, page_size: 20 });
    expect(page.data[0]?.id).toBe(id);
    expect((await manager.get('/tenants/self/invitations?size=100')).status).toBe(200);
    expect(fieldsOf(await manager.get('/tenants/self/invitations?size=101'))).toEqual(['size']);
  });

  it('GET: the invitation with this id', async () => {
    const invitation = await invite();
    expect(await find(invitation.id)).toEqual(invitation);
  });
});
