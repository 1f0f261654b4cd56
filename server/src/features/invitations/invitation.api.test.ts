import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createApplication,
  fieldsOf,
  recordsOf,
  utcTimestamp,
  uuidV4,
} from '../../../test/harness/test-application.ts';
import { listQueued } from '../../../test/harness/queued-jobs.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { SealedRecordError } from '../../platform/keyring/sealing/sealed-record.ts';
import { sweepInvitationsJob } from './index.ts';

interface View {
  readonly id: string;
  readonly expires_at: string;
  readonly created_at: string;
}

const day = 24 * 60 * 60 * 1_000;
let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

function ask(method: string, path = '', body?: unknown, key = tenant.keys.management) {
  return vault.request(method, `/tenants/self/invitations${path}`, { key, ...(body === undefined ? {} : { body }) });
}
const newAddress = () => `${crypto.randomUUID()}@example.com`;
async function invite(email = newAddress()): Promise<View> {
  const answer = await ask('POST', '', { email });
  expect(answer.status).toBe(201);
  return answer.body as View;
}
/** Returns the queued jobs of an invitation. */
async function queuedFor(id: string): Promise<unknown[]> {
  const jobs = await listQueued(vault.database.owner, 'mail-invitation');
  return jobs.filter(({ key }) => key === `mail-invitation:${id}`).map(({ payload }) => payload);
}

describe('POST /tenants/self/invitations', () => {
  it('201 makes a pending invitation for 72 hours, queues its mail, and records it', async () => {
    const email = newAddress();
    const answer = await ask('POST', '', { email });
    expect(answer.status).toBe(201);
    const own = (await vault.request('GET', '/applications/key', { key: tenant.keys.management })).body;
    expect(answer.body).toEqual({
      id: expect.stringMatching(uuidV4),
      tenant_id: tenant.id,
      email,
      role: 'ADMIN',
      status: 'PENDING',
      expires_at: expect.stringMatching(utcTimestamp),
      created_by: (own as { id: string }).id,
      created_at: expect.stringMatching(utcTimestamp),
    });
    const { id, expires_at, created_at } = answer.body as View;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(3 * day);
    expect(await queuedFor(id)).toEqual([{ tenant_id: tenant.id, invitation_id: id, link_number: 1 }]);
    expect(await recordsOf(vault, tenant, id)).toMatchObject([
      { entity_type: 'invitation', operation: 'create', outcome: 'success', actor_type: 'application' },
    ]);
  });

  it('201 takes the role, and ADMIN where it is null', async () => {
    expect((await ask('POST', '', { email: newAddress(), role: 'READ_ONLY' })).body).toMatchObject({
      role: 'READ_ONLY',
    });
    expect((await ask('POST', '', { email: newAddress(), role: null })).body).toMatchObject({ role: 'ADMIN' });
  });

  it.each([
    [{}, ['email']],
    [{ email: null }, ['email']],
    [{ email: '' }, ['email']],
    [{ email: 'plain' }, ['email']],
    [{ email: `a@b.example\r\nBcc: c@d.example` }, ['email']],
    [{ email: 'a@example.com', role: 'OWNER' }, ['role']],
    [{ email: ['a@example.com'] }, ['email']],
  ])('400 refuses %j without repeating it, and sends nothing', async (body, fields) => {
    const answer = await ask('POST', '', body);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, fields]);
    expect(answer.text).not.toContain('example\\r');
    expect((await ask('GET')).body).toMatchObject({ pagination: { total_items: 0 } });
  });

  it('409 invites an address once, in whatever case, also when it comes ten times at once', async () => {
    const email = newAddress();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask('POST', '', { email })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const again = await ask('POST', '', { email: email.toUpperCase() });
    expect(again).toMatchObject({ status: 409, body: { type: '/docs/errors/already-invited' } });
    expect(again.text).not.toContain(email.slice(0, 8));
    expect((await ask('GET')).body).toMatchObject({ pagination: { total_items: 1 } });
  });

  it('201 lets two tenants invite the same address', async () => {
    const other = await vault.makeTenant();
    const email = newAddress();
    await invite(email);
    expect((await ask('POST', '', { email }, other.keys.management)).status).toBe(201);
  });

  it('409 invites nobody who is a member', async () => {
    const email = newAddress();
    await vault.database.owner.query(
      `with made as (insert into users (id, email) values (gen_random_uuid(), $2) returning id)
        insert into members (tenant_id, id, user_id, role) select $1, gen_random_uuid(), id, 'ADMIN' from made`,
      [tenant.id, email],
    );
    expect(await ask('POST', '', { email: email.toUpperCase() })).toMatchObject({
      status: 409,
      body: { type: '/docs/errors/already-a-member' },
    });
  });

  it('400 stops at five hundred', async () => {
    await vault.database.owner.query(
      `insert into invitations (tenant_id, id, email, role, link_hash, expires_at)
        select $1::uuid, gen_random_uuid(), number || '@example.com', 'ADMIN', sha256(convert_to(gen_random_uuid()::text, 'UTF8')), now()
        from generate_series(1, 500) as number`,
      [tenant.id],
    );
    expect((await ask('POST', '', { email: newAddress() })).status).toBe(400);
  });

  it('keeps the link out of the answer, the log, and in no readable form in the database', async () => {
    const { id } = await invite();
    const { rows } = await vault.database.owner.query<{ row: string; link_sealed: Buffer }>(
      'select link_sealed, to_jsonb(i)::text as row from invitations i where id = $1',
      [id],
    );
    const place = {
      owner: id,
      field: `invitation link for ${(JSON.parse(rows[0]?.row ?? '') as { email: string }).email}`,
    };
    const link = vault.server.core.systemKeys.sealer().open(rows[0]?.link_sealed ?? Buffer.alloc(0), place);
    expect(link).toMatch(/^[1-9A-HJ-NP-Za-km-z]{44}$/);
    const { rows: jobs } = await vault.database.owner.query('select * from pgboss.job');
    const everything = [JSON.stringify(rows), JSON.stringify(jobs), ...vault.logLines].join();
    expect(everything).not.toContain(link);
    const elsewhere = { ...place, owner: crypto.randomUUID() };
    expect(() =>
      vault.server.core.systemKeys.sealer().open(rows[0]?.link_sealed ?? Buffer.alloc(0), elsewhere),
    ).toThrow(SealedRecordError);
  });
});

describe('POST /tenants/self/invitations/{id}/resend', () => {
  it('200 adds 72 hours, queues one mail for the new link in place of the old, and records it', async () => {
    const before = await invite();
    const answer = await ask('POST', `/${before.id}/resend`);
    expect(answer).toMatchObject({ status: 200, body: { id: before.id, status: 'PENDING' } });
    const after = answer.body as View;
    expect(Date.parse(after.expires_at) - Date.parse(before.expires_at)).toBe(3 * day);
    expect(await queuedFor(before.id)).toEqual([{ tenant_id: tenant.id, invitation_id: before.id, link_number: 2 }]);
    expect(await recordsOf(vault, tenant, before.id)).toMatchObject([{ operation: 'create' }, { operation: 'resend' }]);
  });

  it.each(['', '{}', 'a=b'])('200 takes a body of %j', async (rawBody) => {
    const { id } = await invite();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const path = `/tenants/self/invitations/${id}/resend`;
    expect((await vault.request('POST', path, { key: tenant.keys.management, rawBody, headers })).status).toBe(200);
  });

  it.each([['tenant:invitation:create'], ['tenant:invitation:update']])('403 with %s alone', async (permission) => {
    const { id } = await invite();
    const { key } = await createApplication(vault, tenant, { type: 'management', permissions: [permission] });
    expect((await ask('POST', `/${id}/resend`, undefined, key)).status).toBe(403);
    expect(await recordsOf(vault, tenant, id)).toMatchObject([
      { operation: 'create' },
      { entity_type: 'invitation', operation: 'update', outcome: 'denied' },
    ]);
  });
});

describe('GET /tenants/self/invitations', () => {
  it('200 lists newest first, by status, in pages', async () => {
    const made = [await invite(), await invite(), await invite()];
    await vault.database.owner.query('update invitations set expires_at = now() where id = $1', [made[1]?.id]);
    const idsFor = async (query: string) => {
      const { pagination, data } = (await ask('GET', query)).body as { pagination: unknown; data: View[] };
      return { pagination, ids: data.map(({ id }) => id) };
    };
    const [first, second, third] = made.map(({ id }) => id);
    expect((await idsFor('')).ids).toEqual([third, second, first]);
    expect(await idsFor('?status=EXPIRED')).toEqual({
      pagination: { total_items: 1, page_number: 1, page_size: 20, total_pages: 1 },
      ids: [second],
    });
    expect((await idsFor('?status=PENDING&size=1&page=2')).ids).toEqual([first]);
    expect((await idsFor('?size=100&page=2')).ids).toEqual([]);
    expect((await recordsOf(vault, tenant, '*')).map(({ entity_type }) => entity_type)).toContain('invitation');
  });

  it.each(['status=pending', 'status=ACCEPTED', 'size=101', 'page=0'])('400 refuses ?%s', async (query) => {
    expect((await ask('GET', `?${query}`)).status).toBe(400);
  });
});

describe('GET and DELETE /tenants/self/invitations/{id}', () => {
  it('200 shows it as it was made, and records the reading', async () => {
    const made = await invite();
    expect(await ask('GET', `/${made.id}`)).toMatchObject({ status: 200, body: made });
    expect(await recordsOf(vault, tenant, made.id)).toMatchObject([{ operation: 'create' }, { operation: 'read' }]);
  });

  it('204 removes it, once, and records it', async () => {
    const { id } = await invite();
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask('DELETE', `/${id}`)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404, 404, 404, 404]);
    expect((await ask('GET', `/${id}`)).status).toBe(404);
    const done = (await recordsOf(vault, tenant, id)).filter(({ outcome }) => outcome === 'success');
    expect(done).toMatchObject([{ operation: 'create' }, { operation: 'delete' }]);
  });

  it('404 for what another tenant has, and for what is no id', async () => {
    const other = await vault.makeTenant();
    const { id } = await invite();
    for (const [method, path] of [
      ['GET', `/${id}`],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/resend`],
      ['GET', '/x'],
    ] as const) {
      expect((await ask(method, path, undefined, other.keys.management)).status).toBe(404);
    }
    expect((await ask('GET', `/${id}`)).status).toBe(200);
  });
});

describe('the sweep of invitations', () => {
  it('forgets the link of one that has expired, which stays listed and can be sent again', async () => {
    const [expired, living] = [
      (await ask('POST', '', { email: newAddress() })).body as View,
      (await ask('POST', '', { email: newAddress() })).body as View,
    ];
    const { owner } = vault.database;
    await owner.query(`update invitations set expires_at = now() - interval '1 minute' where id = $1`, [expired.id]);
    await sweepInvitationsJob(vault.server.core.database).run(undefined);
    const linked = async () => {
      const ids = [expired.id, living.id];
      const text = 'select id from invitations where id = any($1) and link_sealed is not null';
      return (await owner.query<{ id: string }>(text, [ids])).rows.map(({ id }) => id);
    };
    expect(await linked()).toEqual([living.id]);
    expect((await ask('GET', `/${expired.id}`)).body).toMatchObject({ status: 'EXPIRED' });
    expect((await ask('POST', `/${expired.id}/resend`)).body).toMatchObject({ status: 'PENDING' });
    expect(await linked()).toHaveLength(2);
  });
});
