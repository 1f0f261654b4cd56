import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealAll, signerOf } from '../../../test/harness/sealed-log.ts';
import { createApplication, recordsOf, type TestApplication } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { LogService } from '../logs/index.ts';
import { ExposureService, toSubjectFilter } from './exposure-service.ts';

interface Line {
  readonly count: number;
}
interface ExposureJson {
  readonly records: number;
  readonly tokens_seen: object;
  readonly tokens: readonly (Line & { readonly token_id: string; readonly transform: string })[];
  readonly searches: readonly Line[];
}

let vault: TestVault;
let tenant: TestTenant;
let leaked: TestApplication;
let plain: string[];
let masked: string[];

beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  const permissions = ['token:read', 'token:search', 'token:delete'];
  const rule = (priority: number, container: string, transform: string) => {
    return { description: '', priority, container, transform, permissions };
  };
  leaked = await createApplication(vault, tenant, {
    permissions: undefined,
    rules: [rule(1, '/plain/', 'reveal'), rule(2, '/masked/', 'mask')],
  });
  plain = await createTokens('/plain/', 3);
  masked = await createTokens('/masked/', 4);
  const hidden = await createTokens('/hidden/', 1);
  for (const id of [...plain, ...masked, ...plain]) await use('GET', `/tokens/${id}`, 200);
  for (let attempt = 0; attempt < 5; attempt += 1) await use('GET', `/tokens/${crypto.randomUUID()}`, 404);
  await use('GET', `/tokens/${hidden[0]}`, 403);
  for (const value of ['a', 'b', 'c']) {
    await use('POST', '/tokens/search', 200, { query: `metadata.reference:${value}` });
  }
  await use('DELETE', `/tokens/${masked[3]}`, 204);
});
afterAll(() => vault.stop());

async function createTokens(container: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const body = { type: 'token', data: `value ${container} ${number}`, containers: [container] };
    const answer = await vault.request('POST', '/tokens', { key: tenant.keys.private, body });
    ids.push((answer.body as { id: string }).id);
  }
  return ids;
}

async function use(method: string, path: string, status: number, body?: object): Promise<void> {
  const answer = await vault.request(method, path, { key: leaked.key, ...(body === undefined ? {} : { body }) });
  expect(answer, answer.text).toMatchObject({ status });
}

const ask = (path: string, key = tenant.keys.management) => vault.request('GET', path, { key });
async function exposureOf(query: string): Promise<ExposureJson> {
  const answer = await ask(`/logs/exposure?${query}`);
  expect(answer, answer.text).toMatchObject({ status: 200 });
  return answer.body as ExposureJson;
}

describe.each(['before anything is sealed', 'once everything is sealed'])('GET /logs/exposure %s', (when) => {
  beforeAll(async () => {
    if (when.startsWith('once')) await sealAll(vault.database, signerOf(vault.server));
  });

  it('200 lists exactly the tokens that the key saw, how often, and what it tried', async () => {
    const exposure = await exposureOf(`key_id=${leaked.keyId}`);
    expect(exposure).toMatchObject({
      records: 20,
      tokens_seen: { reveal: 3, mask: 4, redact: 0 },
      searches: [{ fields: ['metadata'], count: 3, found: 0, missed: 3, missing: 3 }],
      misses: [{ entity_type: 'token', operation: 'read', count: 5, missing: 5 }],
      denied: [{ entity_type: 'token', operation: 'read', count: 1 }],
      others: [{ entity_type: 'token', operation: 'delete', outcome: 'success', count: 1 }],
      calls: [],
      sessions: [],
    });
    const seen = exposure.tokens.map(({ token_id, transform, count }) => `${transform} ${count} ${token_id}`);
    expect(seen.toSorted()).toEqual(
      [...plain.map((id) => `reveal 2 ${id}`), ...masked.map((id) => `mask 1 ${id}`)].toSorted(),
    );
  });

  it('counts every record in exactly one list, whichever way the subject is named', async () => {
    const { rows } = await vault.database.owner.query<{ n: number }>(
      `select count(*)::int as n from audit_records where tenant_id = $1 and key_id = $2`,
      [tenant.id, leaked.keyId],
    );
    for (const query of [`key_id=${leaked.keyId.toUpperCase()}`, `application_id=${leaked.id}`]) {
      const exposure = await exposureOf(query);
      const lists = Object.values(exposure).filter(Array.isArray) as Line[][];
      expect(lists.flat().reduce((sum, { count }) => sum + count, 0)).toBe(rows[0]?.n);
      expect(exposure.records).toBe(rows[0]?.n);
    }
    // From the same address, one key was shown a mask and another key was shown plaintext.
    const { tokens } = await exposureOf('source_address=127.0.0.1');
    const views = tokens.filter(({ token_id }) => token_id === plain[0]).map(({ transform }) => transform);
    expect(views).toEqual(['reveal', 'mask']);
    // Another spelling of the same address produces the same result.
    expect((await exposureOf('source_address=::FFFF:127.0.0.1')).tokens).toEqual(tokens);
  });

  it('200 says who saw a token, even one that was deleted', async () => {
    const { body } = await ask(`/logs/viewers?token_id=${masked[3]}`);
    expect(body).toMatchObject({
      records: 3,
      viewers: [
        { actor_type: 'application', transform: 'mask', operations: ['read'], count: 1, key_id: leaked.keyId },
        { actor_type: 'application', transform: 'mask', operations: ['create'], count: 1 },
      ],
      others: [{ operation: 'delete', outcome: 'success', key_id: leaked.keyId }],
    });
  });
});

describe('GET /logs/exposure and /logs/viewers', () => {
  it('respect the time asked for', async () => {
    const before = new Date(Date.now() - 60_000).toISOString();
    expect(await exposureOf(`key_id=${leaked.keyId}&end_date=${before}`)).toMatchObject({ records: 0, tokens: [] });
    expect(await exposureOf(`key_id=${leaked.keyId}&start_date=${before}`)).toMatchObject({
      start_date: before,
      records: 20,
    });
  });

  it('say since when the log is kept, and leave out nothing that is newer than the clock of the server', async () => {
    const asked = `/logs/exposure?key_id=${leaked.keyId}&start_date=2020-01-01&end_date=2020-02-01`;
    const { body } = await ask(asked);
    const month = new Date().toISOString().slice(0, 7);
    expect(body).toMatchObject({ records: 0, kept_since: `${month}-01T00:00:00.000Z` });
    const own = await createApplication(vault, tenant, {});
    await vault.database.owner.query(
      `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, transform, key_id)
        values ($1, now() + interval '1 hour', 'token', 'ahead', 'read', 'success', 'reveal', $2)`,
      [tenant.id, own.keyId],
    );
    expect(await exposureOf(`key_id=${own.keyId}`)).toMatchObject({ tokens: [{ token_id: 'ahead' }] });
  });

  it('list the sessions that a key authorized, and show what a session saw', async () => {
    const { body } = await vault.request('POST', '/sessions', { key: tenant.keys.public });
    const { session_key, nonce } = body as { session_key: string; nonce: string };
    const authorizer = await createApplication(vault, tenant, {});
    await vault.request('POST', '/sessions/authorize', {
      key: authorizer.key,
      body: { nonce, permissions: ['token:read'] },
    });
    await vault.request('GET', `/tokens/${plain[0]}`, { key: session_key });
    const exposure = (await exposureOf(`key_id=${authorizer.keyId}`)) as ExposureJson & {
      sessions: { session_id: string }[];
    };
    expect(exposure.sessions).toHaveLength(1);
    expect(await exposureOf(`session_id=${exposure.sessions[0]?.session_id}`)).toMatchObject({
      tokens: [{ token_id: plain[0], transform: 'mask', count: 1 }],
    });
  });

  it('list the applications and invitations by which a key let others see something', async () => {
    const manager = await createApplication(vault, tenant, {
      type: 'management',
      permissions: ['application:create', 'application:update', 'tenant:invitation:create'],
    });
    const use = async (path: string, body: object) => {
      const answer = await vault.request('POST', path, { key: manager.key, body });
      expect(answer.status, answer.text).toBe(201);
      return (answer.body as { id: string }).id;
    };
    const made = await use('/applications', { name: 'Second', type: 'private', permissions: ['token:use'] });
    await use(`/applications/${made}/keys`, {});
    const invited = await use('/tenants/self/invitations', { email: 'ada@example.com' });
    const exposure = (await exposureOf(`key_id=${manager.keyId}`)) as unknown as { handed_out: object[] };
    expect(exposure).toMatchObject({ tokens: [], others: [] });
    expect(exposure.handed_out.map((line) => ({ ...line, first_at: 0, last_at: 0 }))).toEqual(
      expect.arrayContaining(
        [
          { entity_type: 'application', entity_id: made, operation: 'create' },
          { entity_type: 'application', entity_id: made, operation: 'update' },
          { entity_type: 'invitation', entity_id: invited, operation: 'create' },
        ].map((line) => ({ ...line, count: 1, first_at: 0, last_at: 0 })),
      ),
    );
  });

  it('leave a record that names the filter and not its value', async () => {
    await exposureOf(`key_id=${leaked.keyId}`);
    const records = await recordsOf(vault, tenant, '*');
    const last = records.findLast((record) => record['entity_type'] === 'log');
    expect(last).toMatchObject({ operation: 'read', outcome: 'success' });
    expect(JSON.parse(String(last?.['details']))).toEqual({ fields: ['start_date', 'key_id'] });
  });

  it('show nothing of another tenant', async () => {
    const other = await vault.makeTenant();
    const foreign = await ask(`/logs/exposure?key_id=${leaked.keyId}`, other.keys.management);
    expect(foreign.body).toMatchObject({ records: 0, tokens: [] });
    const unseen = await ask(`/logs/viewers?token_id=${plain[0]}`, other.keys.management);
    expect(unseen.body).toMatchObject({ records: 0, viewers: [] });
  });

  it('refuse to answer in part when there is more than may be read', async () => {
    const service = new ExposureService(new LogService(vault.server.core));
    const filter = toSubjectFilter({ field: 'key_id', value: leaked.keyId }, { from: undefined, to: undefined });
    const read = (limits: { recordsMax: number; linesMax: number }) =>
      service.findExposure(filter, { tenantId: parseTenantId(tenant.id), limits });
    await expect(read({ recordsMax: 20, linesMax: 7 })).resolves.toMatchObject({ records: 20 });
    for (const limits of [
      { recordsMax: 19, linesMax: 7 },
      { recordsMax: 20, linesMax: 6 },
    ])
      await expect(read(limits)).rejects.toMatchObject({ code: 'validation-failed' });
  });

  it.each([
    ['/logs/exposure', 'key_id'],
    [`/logs/exposure?key_id=${crypto.randomUUID()}&source_address=::1`, 'key_id'],
    ['/logs/exposure?source_address=::1&start_date=yesterday', 'start_date'],
    ['/logs/exposure?source_address=::1&start_date=2020-01-01', 'start_date'],
    ['/logs/exposure?source_address=::1&start_date=2026-02-01&end_date=2026-01-01', 'start_date'],
    ['/logs/viewers', 'token_id'],
    ['/logs/viewers?token_id=x&end_date=tomorrow', 'end_date'],
  ])('400 for %s', async (path, field) => {
    expect(await ask(path)).toMatchObject({ status: 400, body: { errors: { [field]: expect.any(Array) } } });
  });

  it('400 for a parameter that does not exist', async () => {
    expect(await ask('/logs/exposure?key=x')).toMatchObject({ status: 400 });
  });

  it('answer for what names nothing as for what did nothing', async () => {
    for (const query of ['key_id=none', 'source_address=%00', `user_id=${crypto.randomUUID()}`])
      expect(await exposureOf(query)).toMatchObject({ records: 0, tokens: [] });
    expect(await ask('/logs/viewers?token_id=%00')).toMatchObject({ status: 200, body: { records: 0 } });
  });

  it('403 without log:read', async () => {
    for (const path of ['/logs/exposure?source_address=::1', '/logs/viewers?token_id=x'])
      expect(await ask(path, tenant.keys.private)).toMatchObject({ status: 403 });
  });
});
