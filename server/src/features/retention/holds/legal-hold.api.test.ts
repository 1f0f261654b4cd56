import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { age, createToken, listStored } from '../../../../test/harness/aged-tokens.ts';
import { FourEyesTenant, requestIn } from '../../../../test/harness/four-eyes.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../../core/identity/ids.ts';
import { TenantDeletion } from '../../tenants/index.ts';
import { sweepTokensJobs } from '../../tokens/index.ts';
import { sweepRetentionJobs } from '../sweep/sweep-retention-jobs.ts';
import { holdsMax } from './legal-hold.ts';

let vault: TestVault;
let tenant: TestTenant;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

const owner = () => vault.database.owner;
const sweep = async () => {
  const { database } = vault.server.core;
  for (const job of [...sweepTokensJobs(database), ...sweepRetentionJobs({ database, log: database })])
    await job.run(undefined);
};
const manage = (method: string, path: string, body?: object) =>
  vault.request(method, path, { key: tenant.keys.management, ...(body === undefined ? {} : { body }) });
async function hold(body: object = {}): Promise<string> {
  const answer = await manage('POST', '/legal-holds', { reason: 'Dispute 2026-114', ...body });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return (answer.body as { id: string }).id;
}
const create = (body: object = {}) => createToken(vault, tenant, { type: 'token', data: 'x', ...body });
const remove = (id: string) => vault.request('DELETE', `/tokens/${id}`, { key: tenant.keys.private });
const patch = (id: string, body: object) =>
  vault.request('PATCH', `/tokens/${id}`, {
    key: tenant.keys.private,
    headers: { 'content-type': 'application/merge-patch+json' },
    body,
  });
const expire = (ids: readonly string[]) =>
  owner().query(
    `update tokens set expires_at = now() - interval '1 minute', expires_at_offset_minutes = 0 where id = any($1)`,
    [ids],
  );

describe('a legal hold', () => {
  it('stops deletions, changes, expiry and rules, until it is lifted', async () => {
    const [held, expired, old] = [await create(), await create(), await create()];
    await age(vault, [old], 40);
    await expire([expired]);
    const made = await manage('POST', '/retention-rules', { keep_for_days: 30, confirmed_tokens: 1 });
    await owner().query('update retention_rules set effective_at = now() where id = $1', [
      (made.body as { id: string }).id,
    ]);
    const id = await hold();
    for (const answer of [
      await remove(held),
      await patch(held, { data: 'y' }),
      await patch(held, { metadata: { a: 'b' } }),
    ])
      expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('A legal hold keeps this token')]);
    await sweep();
    expect(await listStored(vault, [held, expired, old])).toEqual([held, expired, old]);
    // What has expired stays invisible, and what a rule would remove stays readable.
    const read = async (token: string) =>
      (await vault.request('GET', `/tokens/${token}`, { key: tenant.keys.private })).status;
    expect([await read(held), await read(expired), await read(old)]).toEqual([200, 404, 200]);
    expect((await manage('POST', `/legal-holds/${id}/lift`)).body).toMatchObject({ is_in_force: false });
    await sweep();
    expect(await listStored(vault, [held, expired, old])).toEqual([held]);
    expect((await remove(held)).status).toBe(204);
  });

  it('ends by itself', async () => {
    const id = await create();
    const made = await hold({ ends_at: '2090-01-01T00:00:00Z' });
    expect((await remove(id)).status).toBe(409);
    await owner().query('update legal_holds set ends_at = now() where id = $1', [made]);
    expect((await manage('GET', `/legal-holds/${made}`)).body).toMatchObject({ is_in_force: false });
    expect((await remove(id)).status).toBe(204);
  });

  it.each([
    ['a container and what is in it', { container: '/a/' }, { containers: ['/a/b/'] }, { containers: ['/ab/'] }],
    ['a type', { type: 'card_number' }, { type: 'card_number', data: '4242424242424242' }, {}],
    [
      'metadata, whatever its case',
      { metadata: { Case: 'X-1' } },
      { metadata: { case: 'x-1' } },
      { metadata: { case: 'x-2' } },
    ],
    ['one token', { token_id: 'kept-token' }, { id: 'kept-token' }, {}],
    [
      'all that it names together',
      { container: '/a/', type: 'token', metadata: { case: '1' } },
      { containers: ['/a/'], metadata: { case: '1' } },
      { containers: ['/b/'], metadata: { case: '1' } },
    ],
  ])('can be about %s', async (_about, scope, inside, outside) => {
    await hold(scope);
    const [kept, free] = [await create(inside), await create(outside)];
    expect([(await remove(kept)).status, (await remove(free)).status]).toEqual([409, 204]);
  });

  it('covers no other tenant', async () => {
    await hold();
    const other = await vault.makeTenant();
    const id = await createToken(vault, other, { type: 'token', data: 'x' });
    expect((await vault.request('DELETE', `/tokens/${id}`, { key: other.keys.private })).status).toBe(204);
  });

  it('keeps a token that others would leave behind: moved, untagged, or replaced by an equal one', async () => {
    await manage('PUT', '/tenants/self', { name: 'T', settings: { token_deduplication_behavior: 'update_existing' } });
    await hold({ container: '/a/', metadata: { case: '1' } });
    const body = { containers: ['/a/'], metadata: { case: '1' }, data: 'held value', deduplicate_token: true };
    const id = await create(body);
    expect((await patch(id, { containers: ['/b/'] })).status).toBe(409);
    expect((await patch(id, { metadata: { case: null } })).status).toBe(409);
    const again = await vault.request('POST', '/tokens', {
      key: tenant.keys.private,
      body: { type: 'token', ...body, metadata: {} },
    });
    expect(again.status).toBe(409);
    const { rows } = await owner().query<{ metadata: object }>('select metadata from tokens where id = $1', [id]);
    expect(rows[0]?.metadata).toEqual({ case: '1' });
  });

  it('does not keep verification codes of cards', async () => {
    await hold();
    const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030, cvc: '123' };
    const id = await create({ type: 'card', data: card });
    expect((await patch(id, { data: { cvc: null, expiration_year: 2031 } })).status).toBe(409);
    expect((await patch(id, { data: { cvc: null }, metadata: { a: 'b' } })).status).toBe(409);
    expect((await patch(id, { data: { cvc: null } })).status).toBe(200);
    const { rows } = await owner().query('select from token_cvcs where token_id = $1', [id]);
    expect(rows).toHaveLength(0);
  });

  it('keeps the data of other types from a patch that would remove the code of a card', async () => {
    for (const data of ['evidence', ['evidence'], { cvc: 'evidence', a: 1 }]) {
      const id = await create({ data });
      const held = await hold({ token_id: id });
      expect((await patch(id, { data: { cvc: null } })).status).toBe(409);
      expect((await vault.request('GET', `/tokens/${id}`, { key: tenant.keys.reveal })).body).toMatchObject({ data });
      await manage('POST', `/legal-holds/${held}/lift`);
    }
  });

  it('lets nobody end the life of a card by removing its code', async () => {
    const card = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };
    const id = await create({ type: 'card', data: card, expires_at: '2090-01-01T00:00:00Z' });
    await age(vault, [id], 40);
    await hold();
    await manage('POST', '/retention-rules', { never_longer_than_days: 30, confirmed_tokens: 0 });
    await owner().query(`update retention_rules set effective_at = now() - interval '1 hour' where tenant_id = $1`, [
      tenant.id,
    ]);
    expect((await patch(id, { data: { cvc: null } })).status).toBe(200);
    const { rows } = await owner().query<{ year: number }>(
      'select extract(year from expires_at)::integer as year from tokens where id = $1',
      [id],
    );
    expect(rows[0]?.year).toBe(2090);
  });

  it('is recorded without what would let its metadata be guessed', async () => {
    await hold({ metadata: { customer_id: 'c-1' } });
    await hold({ metadata: { customer_id: 'c-2' } });
    const records = (await vault.auditRecords(tenant.id)).filter(({ entity_type }) => entity_type === 'legal_hold');
    expect(records.map(({ operation }) => operation)).toEqual(['create', 'create']);
    expect(records[0]?.['details']).toEqual(records[1]?.['details']);
  });

  it('keeps the tenant too', async () => {
    const id = await hold({ container: '/a/' });
    expect((await manage('DELETE', '/tenants/self')).status).toBe(409);
    await manage('POST', `/legal-holds/${id}/lift`);
    expect((await manage('DELETE', '/tenants/self')).status).toBe(204);
    // A hold that an operator restored after the deletion keeps it all the same.
    await owner().query(`update legal_holds set lifted_at = null where id = $1`, [id]);
    await owner().query(`update tenants set deleted_at = now() - interval '8 days' where id = $1`, [tenant.id]);
    await new TenantDeletion(vault.server.core.database).removeDue();
    const { rows } = await owner().query('select from tenants where id = $1', [parseTenantId(tenant.id)]);
    expect(rows).toHaveLength(1);
    await owner().query(`delete from legal_holds where id = $1`, [id]);
    await new TenantDeletion(vault.server.core.database).removeDue();
  });

  it('is listed with its reason, those in force first, and every step is recorded without values', async () => {
    const [first, second] = [await hold({ metadata: { customer: 'canary-c-1042' } }), await hold()];
    await manage('POST', `/legal-holds/${second}/lift`);
    const listed = (await manage('GET', '/legal-holds')).body as { id: string; reason: string }[];
    expect(listed.map(({ id }) => id)).toEqual([first, second]);
    expect(listed[0]).toMatchObject({ reason: 'Dispute 2026-114', metadata: { customer: 'canary-c-1042' } });
    expect((await manage('POST', `/legal-holds/${second}/lift`)).status).toBe(400);
    const records = (await vault.auditRecords(tenant.id)).filter((record) => record['entity_type'] === 'legal_hold');
    expect(records.map(({ operation }) => operation)).toEqual(['create', 'create', 'remove', 'read']);
    expect(JSON.stringify(records)).not.toContain('canary');
  });

  it('is limited in number, also when many are set at the same time', async () => {
    await owner().query(
      `insert into legal_holds (tenant_id, id, reason) select $1, gen_random_uuid(), 'x' from generate_series(2, $2)`,
      [tenant.id, holdsMax],
    );
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => manage('POST', '/legal-holds', { reason: 'Audit' })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400]);
  });
});

describe('in a tenant that requires approvals, a hold', () => {
  it('stays in force until a second person has approved that it is lifted', async () => {
    const here = await FourEyesTenant.make(vault);
    const [ann, ben] = here.people;
    const made = await here.by(ann, 'POST', '/legal-holds', { reason: 'Audit' });
    expect(made.status).toBe(201);
    const id = await createToken(vault, here.tenant, { type: 'token', data: 'x' });
    const asked = await here.by(ann, 'POST', `/legal-holds/${String(made.body['id'])}/lift`);
    expect([asked.status, asked.body['is_in_force']]).toEqual([202, true]);
    expect((await vault.request('DELETE', `/tokens/${id}`, { key: here.tenant.keys.private })).status).toBe(409);
    expect((await here.decide(ann, 'approve', requestIn(asked))).status).toBe(403);
    expect((await here.decide(ben, 'approve', requestIn(asked))).status).toBe(303);
    expect((await vault.request('DELETE', `/tokens/${id}`, { key: here.tenant.keys.private })).status).toBe(204);
  });
});
