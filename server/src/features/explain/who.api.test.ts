import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomRights } from '../../../test/harness/seen/random-rights.ts';
import { SeededRandom } from '../../../test/harness/seen/seeded-random.ts';
import { createApplication, recordsOf, type TestApplication } from '../../../test/harness/test-application.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { parseTenantId } from '../../core/identity/ids.ts';
import { TokenStore, unlimitedSets } from '../tokens/index.ts';
import { type OnlookerCursor, WhoService } from './who-service.ts';

interface Seer {
  readonly id: string;
  readonly transform: string;
  readonly ways: readonly { readonly way: string; readonly transform: string }[];
}
interface WhoJson {
  readonly applications: readonly Seer[];
  readonly members: readonly Seer[];
  readonly invitations: readonly Seer[];
  readonly sessions: readonly Seer[];
  readonly next?: string;
}

let vault: TestVault;
let tenant: TestTenant;
let tokenId: string;
const secret = 'Nobody knows';
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
  tokenId = await createToken(['/a/b/', '/c/']);
});
afterAll(() => vault.stop());

async function createToken(containers: string[]): Promise<string> {
  const body = { type: 'token', data: secret, containers, mask: '{{ data | reveal_last: 2 }}' };
  const answer = await vault.request('POST', '/tokens', { key: tenant.keys.reveal, body });
  return (answer.body as { id: string }).id;
}
const ask = (body: object, key = tenant.keys.management) => vault.request('POST', '/access/who', { key, body });
async function who(body: object): Promise<WhoJson> {
  const answer = await ask(body);
  expect(answer, answer.text).toMatchObject({ status: 200 });
  return answer.body as WhoJson;
}
const wayOf = (seers: readonly Seer[], id: string, name: string) =>
  seers.find((seer) => seer.id === id)?.ways.find(({ way }) => way === name)?.transform;

/** The ways in which every member sees tokens in the portal, and the additional ways of those who manage the tenant. */
const masked = ['token:read', 'token:search'].map((way) => ({ way, transform: 'mask' }));
const roundabout = ['handing-out-rights', 'making-members', 'approving-exports'];
const manager = { transform: 'reveal', ways: [...masked, ...roundabout.map((way) => ({ way, transform: 'reveal' }))] };

/** Returns the data that a key is actually shown. */
async function shownTo(key: string): Promise<string | undefined> {
  const { status, body } = await vault.request('GET', `/tokens/${tokenId}`, { key });
  if (status !== 200) return undefined;
  const { data } = body as { data?: unknown };
  if (data === secret) return 'reveal';
  return data === null || data === undefined ? 'redact' : 'mask';
}

describe('POST /access/who about a container whose tokens lie in others too', () => {
  const rule = (container: string, transform: string, priority = 1) => ({
    description: 'Here',
    priority,
    container,
    transform,
    permissions: ['token:read'],
  });
  const wayTo = async (rules: object[], container: string) => {
    const { id } = await createApplication(vault, tenant, { permissions: [], rules });
    return wayOf((await who({ container })).applications, id, 'token:read');
  };
  beforeAll(async () => {
    await createToken(['/shared/x/', '/other/y/']);
    await createToken(['/alone/']);
  });

  it.each([
    ['the other container', [rule('/other/y/', 'reveal')], '/shared/', 'reveal'],
    ['what is above the other container', [rule('/other/', 'mask')], '/shared/', 'mask'],
    ['the other container, asked about the exact one', [rule('/other/', 'reveal')], '/shared/x/', 'reveal'],
    ['the other container, asked the other way round', [rule('/shared/', 'reveal')], '/other/', 'reveal'],
    [
      'the other container, before one on this',
      [rule('/other/', 'reveal'), rule('/', 'mask', 2)],
      '/shared/',
      'reveal',
    ],
  ])('200 lists who has a rule on %s', async (_name, rules, container, transform) => {
    expect(await wayTo(rules, container)).toBe(transform);
  });

  it.each([
    ['a container without such tokens', [rule('/nothing/', 'reveal')], '/shared/', undefined],
    ['the other container, for a place beside it', [rule('/other/', 'reveal')], '/shared/z/', undefined],
    ['one container, for tokens that lie in no other', [rule('/other/', 'reveal')], '/alone/', undefined],
    [
      'the other container, after one on this',
      [rule('/shared/', 'mask'), rule('/other/', 'reveal', 2)],
      '/shared/',
      'mask',
    ],
  ])('200 claims no more for a rule on %s', async (_name, rules, container, transform) => {
    expect(await wayTo(rules, container)).toBe(transform);
  });

  it('200 lists everybody with a rule if tokens lie in more containers than are looked at', async () => {
    const rules = [rule('/nothing/', 'reveal')];
    expect(await wayTo(rules, '/many/')).toBeUndefined();
    for (const from of [0, 1_000]) {
      const body = Array.from({ length: from === 0 ? 1_000 : 1 }, (_, index) => ({
        type: 'token',
        data: 'x',
        containers: ['/many/', `/each/${from + index}/`],
      }));
      const { status } = await vault.request('POST', '/tokenize', { key: tenant.keys.reveal, body });
      expect(status).toBe(200);
    }
    expect(await wayTo(rules, '/many/')).toBe('reveal');
    expect(await wayTo(rules, '/alone/')).toBeUndefined();
  });

  it('200 does not look at sets of other tenants', async () => {
    const other = await vault.makeTenant();
    const body = { type: 'token', data: 'x', containers: ['/alone/', '/foreign/'] };
    await vault.request('POST', '/tokens', { key: other.keys.reveal, body });
    expect(await wayTo([rule('/foreign/', 'reveal')], '/alone/')).toBeUndefined();
  });
});

describe('POST /access/who', () => {
  it('200 lists exactly the applications that are shown the token, each as it is shown, for random rights', async () => {
    const random = new SeededRandom(7);
    const made: TestApplication[] = [];
    for (let number = 0; number < 60; number += 1)
      made.push(await createApplication(vault, tenant, randomRights(random)));
    const { applications } = await who({ token_id: tokenId });
    const seen = new Set<string | undefined>();
    for (const { id, key } of made) {
      const shown = await shownTo(key);
      seen.add(shown);
      expect(wayOf(applications, id, 'token:read')).toBe(shown);
    }
    expect(seen).toEqual(new Set(['reveal', 'mask', 'redact', undefined]));
  });

  it('200 lists live sessions within their authorizer, and no others', async () => {
    const authorizer = await createApplication(vault, tenant, { permissions: ['token:read', 'token:use'] });
    const open = async () =>
      (await vault.request('POST', '/sessions', { key: tenant.keys.public })).body as {
        session_key: string;
        nonce: string;
      };
    const [reader, other] = [await open(), await open(), await open()];
    const authorize = (nonce: string | undefined, permissions: string[]) =>
      vault.request('POST', '/sessions/authorize', { key: authorizer.key, body: { nonce, permissions } });
    await authorize(reader?.nonce, ['token:read']);
    await authorize(other?.nonce, ['token:use']);
    const { sessions, next } = await who({ token_id: tokenId });
    expect(next).toBeUndefined();
    expect(sessions.map(({ ways }) => ways.map(({ way }) => way).join()).toSorted()).toEqual([
      'token:read',
      'token:use',
    ]);
    const found = sessions.find(({ ways }) => ways[0]?.way === 'token:read');
    expect(found).toMatchObject({ transform: await shownTo(reader?.session_key ?? ''), authorized_by: authorizer.id });
    const rest = await who({ token_id: tokenId, start: `sessions.${sessions[0]?.id}` });
    expect(rest).toEqual({ applications: [], members: [], invitations: [], sessions: [sessions[1]] });
    await vault.database.owner.query('update sessions set expires_at = now() where id = $1', [found?.id]);
    expect((await who({ token_id: tokenId })).sessions).toHaveLength(1);
  });

  it('200 counts roundabout ways: handing out rights, making members, authoring views', async () => {
    const capped = await createApplication(vault, tenant, {
      type: 'management',
      permissions: ['application:create'],
      grant_limit: { permissions: ['token:read'], containers: ['/a/'], transform: 'mask' },
    });
    const elsewhere = await createApplication(vault, tenant, {
      type: 'management',
      permissions: ['application:create'],
      grant_limit: { permissions: ['token:read'], containers: ['/b/'], transform: 'reveal' },
    });
    const inviting = await createApplication(vault, tenant, {
      type: 'management',
      permissions: ['tenant:invitation:create'],
    });
    const updating = await createApplication(vault, tenant, { permissions: ['token:update'] });
    const { applications } = await who({ token_id: tokenId });
    expect(wayOf(applications, capped.id, 'handing-out-rights')).toBe('mask');
    expect(applications.some(({ id }) => id === elsewhere.id)).toBe(false);
    expect(wayOf(applications, inviting.id, 'making-members')).toBe('reveal');
    expect(wayOf(applications, updating.id, 'authoring-views')).toBe('reveal');
    const inB = await who({ container: '/b/' });
    expect(wayOf(inB.applications, elsewhere.id, 'handing-out-rights')).toBe('reveal');
  });

  it('200 lists every member, with what they see at the portal and in roundabout ways, without their addresses', async () => {
    const { rows } = await vault.database.owner.query<{ id: string }>(
      `with person as (insert into users (id, email) values (gen_random_uuid(), 'ada@example.com'), (gen_random_uuid(), 'bob@example.com')
          returning id, email)
        insert into members (tenant_id, id, user_id, role)
        select $1, gen_random_uuid(), id, case email when 'ada@example.com' then 'ADMIN' else 'READ_ONLY' end from person
        returning id, role`,
      [tenant.id],
    );
    const answer = await ask({ container: '/b/' });
    const { members } = answer.body as WhoJson;
    const { ADMIN, OWNER, READ_ONLY } = Object.fromEntries(
      members.map((member) => [(member as unknown as { role: string }).role, member]),
    );
    expect(members).toHaveLength(3);
    expect(READ_ONLY).toMatchObject({ transform: 'mask', ways: masked });
    for (const managing of [ADMIN, OWNER]) expect(managing).toMatchObject(manager);
    expect(rows).toHaveLength(2);
    expect(answer.text).not.toContain('example.com');
  });

  it('200 names members and invitations to keys that may list them, and counts them for the others', async () => {
    const own = await vault.makeTenant();
    for (const role of ['ADMIN', 'READ_ONLY']) {
      const body = { email: `${role}@example.com`, role };
      const invited = await vault.request('POST', '/tenants/self/invitations', { key: own.keys.management, body });
      expect(invited.status, invited.text).toBe(201);
    }
    const reading = (permissions: string[]) => createApplication(vault, own, { type: 'management', permissions });
    const seeing = await reading(['application:read', 'tenant:member:read', 'tenant:invitation:read']);
    const blind = await reading(['application:read']);
    const named = (await ask({ container: '/' }, seeing.key)).body as WhoJson;
    const accepting = (transform: string) => ({ transform, ways: [{ way: 'accepting-an-invitation', transform }] });
    const byRole = ({ invitations }: WhoJson) =>
      Object.fromEntries(invitations.map((one) => [(one as unknown as { role: string }).role, one]));
    expect(named.members).toEqual([{ id: expect.any(String), user_id: expect.any(String), role: 'OWNER', ...manager }]);
    const expires_at = expect.any(String) as string;
    expect(named.invitations).toHaveLength(2);
    expect(byRole(named)).toEqual({
      ADMIN: { id: expect.any(String), role: 'ADMIN', expires_at, ...accepting('reveal') },
      READ_ONLY: { id: expect.any(String), role: 'READ_ONLY', expires_at, ...accepting('mask') },
    });
    const unnamed = (await ask({ container: '/' }, blind.key)).body as WhoJson;
    expect(unnamed.members).toEqual([{ role: 'OWNER', ...manager }]);
    expect(byRole(unnamed)).toEqual({
      ADMIN: { role: 'ADMIN', expires_at, ...accepting('reveal') },
      READ_ONLY: { role: 'READ_ONLY', expires_at, ...accepting('mask') },
    });
    expect(unnamed.applications).toEqual(named.applications);
  });

  it('200 counts who sees only a part of the container, or one token that may be in it', async () => {
    const own = await vault.makeTenant();
    const rule = { priority: 1, container: '/pci/high/', transform: 'reveal', permissions: ['token:read'] };
    const part = await createApplication(vault, own, { permissions: undefined, rules: [rule] });
    const opened = (await vault.request('POST', '/sessions', { key: own.keys.public })).body as { nonce: string };
    const conditions = [{ attribute: 'id', operator: 'equals', value: 'card-1' }];
    const answer = await vault.request('POST', '/sessions/authorize', {
      key: part.key,
      body: {
        nonce: opened.nonce,
        rules: [
          {
            priority: 1,
            conditions: [...conditions, { attribute: 'container', operator: 'starts_with', value: '/pci/high/' }],
            transform: 'mask',
            permissions: ['token:read'],
          },
        ],
      },
    });
    expect(answer.status, answer.text).toBe(200);
    const found = (await ask({ container: '/pci/' }, own.keys.management)).body as WhoJson;
    expect(wayOf(found.applications, part.id, 'token:read')).toBe('reveal');
    expect(found.sessions).toMatchObject([{ transform: 'mask', ways: [{ way: 'token:read', transform: 'mask' }] }]);
    const elsewhere = (await ask({ container: '/bank/' }, own.keys.management)).body as WhoJson;
    expect(elsewhere.applications.some(({ id }) => id === part.id)).toBe(false);
    expect(elsewhere.sessions).toEqual([]);
  });

  it('looks at so many at a time, and comes to everybody once', async () => {
    const { database } = vault.server.core;
    const service = new WhoService({ database, tokens: new TokenStore(database, unlimitedSets), rowsPerPart: 7 });
    const tenantId = parseTenantId(tenant.id);
    const target = { container: '/' };
    const ids: string[] = [];
    let parts = 0;
    for (let after: OnlookerCursor | undefined; ; parts += 1) {
      const part = await service.find(tenantId, 'system', { target, after });
      const seen = [...part.applications, ...part.members, ...part.invitations, ...part.sessions];
      expect(seen.length).toBeLessThanOrEqual(7);
      ids.push(...seen.map(({ id = '' }) => id));
      if (part.next === undefined) break;
      after = part.next;
    }
    const whole = await who(target);
    const all = [...whole.applications, ...whole.members, ...whole.invitations, ...whole.sessions].map(({ id }) => id);
    expect(ids).toEqual(all);
    expect(parts).toBeGreaterThan(5);
  });

  it('leaves a record', async () => {
    await who({ container: '/b/' });
    const records = await recordsOf(vault, tenant, '*');
    expect(records.at(-1)).toMatchObject({ entity_type: 'application', operation: 'read', outcome: 'success' });
  });

  it.each([
    ['no target', {}],
    ['two targets', { token_id: 'a', container: '/' }],
    ['a bad container', { container: 'a' }],
    ['a bad cursor', { container: '/', start: 'x' }],
    ['a cursor of an unknown list', { container: '/', start: `users.${crypto.randomUUID()}` }],
  ])('400 for %s', async (_what, body) => {
    expect((await ask(body)).status).toBe(400);
  });

  it('403 without application:read', async () => {
    expect((await ask({ container: '/' }, tenant.keys.private)).status).toBe(403);
  });

  it("404 for another tenant's token, and lists nobody of another tenant", async () => {
    const other = await vault.makeTenant();
    expect((await ask({ token_id: tokenId }, other.keys.management)).status).toBe(404);
    const answer = await ask({ container: '/' }, other.keys.management);
    expect((answer.body as WhoJson).applications).toHaveLength(3);
  });
});
