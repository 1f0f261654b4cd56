import type { RouteOptions } from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import { portalAppPaths } from '../../src/features/portal/frame/sign-in-destination.ts';
import { signInProven, welcome } from '../harness/portal-people.ts';
import type { PortalVisitor } from '../harness/portal-visitor.ts';
import { recordsOf } from '../harness/test-application.ts';
import { tapRoutes } from '../harness/route-tap.ts';
import { TestVault } from '../harness/test-vault.ts';

/**
 * Previously, a mailed link made its holder a full ADMIN, even of a production tenant. With the session of a user
 * without a sign-in method, it was possible to create an application that reveals every token. These cases cover every
 * route that the server has for members.
 */
interface Route {
  readonly method: string;
  readonly url: string;
}

const ownPage = { 'sec-fetch-site': 'same-origin' };
const { started: vault, servers } = await tapRoutes(() => TestVault.start());
const [production, strictTest, plainTest] = await Promise.all([
  vault.makeTenant('production'),
  vault.makeTenant(),
  vault.makeTenant(),
]);
await changeSettings(strictTest, { require_sign_in_way: 'true' });
const linked = (await welcome(vault, production)).visitor;
const linkedToStrict = (await welcome(vault, strictTest)).visitor;
const linkedToPlain = (await welcome(vault, plainTest)).visitor;
const proven = (await signInProven(vault, production)).visitor;
const provenInStrict = (await signInProven(vault, strictTest)).visitor;
afterAll(() => vault.stop());

/** The routes with their names in the vault's log. */
const apiRoutes: readonly (readonly [string, Route])[] = servers
  .flat()
  .filter(({ url }) => url.startsWith('/portal/api/') && url !== '/portal/api/me')
  .flatMap(toRoutes)
  .map((route) => [`${route.method} ${route.url}`, route] as const);

function toRoutes({ method, url }: RouteOptions): Route[] {
  return [method].flat().flatMap((one) => (one === 'HEAD' ? [] : [{ method: one, url }]));
}

function changeSettings(tenant: { readonly keys: { readonly management: string } }, settings: Record<string, string>) {
  return vault.request('PUT', '/tenants/self', { key: tenant.keys.management, body: { name: 'Test', settings } });
}

async function ask(visitor: PortalVisitor, { method, url }: Route): Promise<string> {
  const { status, text } = await visitor.send(method, url.replaceAll(/:\w+|\*/g, crypto.randomUUID()), ownPage);
  if (status < 400) return 'allowed';
  const [, code = ''] = /"type":"\/docs\/errors\/([a-z-]+)"/.exec(text) ?? [];
  return status === 401 || status >= 500 ? `${status}` : code;
}

/**
 * Returns true if the request passed the checks under test. Those come before the checks for an unknown id or an empty
 * body.
 */
const isLetThrough = (outcome: string) =>
  ['allowed', 'not-found', 'validation-failed', 'unsupported-media-type', 'malformed-json', 'forbidden'].includes(
    outcome,
  );

describe('a session begun by a link', () => {
  it('is tried at every route for members', () => {
    expect(apiRoutes.length).toBeGreaterThan(40);
  });

  describe('in a production tenant', () => {
    it.each(apiRoutes)('is refused %s', async (_name, route) => {
      expect(await ask(linked, route)).toBe('sign-in-way-required');
    });
  });

  describe('in a test tenant that requires a way to sign in', () => {
    it.each(apiRoutes)('is refused %s', async (_name, route) => {
      expect(await ask(linkedToStrict, route)).toBe('sign-in-way-required');
    });
  });

  it('is let through in a test tenant that does not', async () => {
    const outcomes = await Promise.all(apiRoutes.map(([, route]) => ask(linkedToPlain, route)));
    expect(outcomes.filter((outcome) => !isLetThrough(outcome))).toEqual([]);
    expect(outcomes).toContain('allowed');
  });

  it.each([
    ...portalAppPaths.map((path) => [path.replace('*', 'some-id')]),
    ['/portal/audit?outcome=denied'],
    ['/portal/exports'],
  ])('is sent from %s to where a way is set up', async (path) => {
    for (const visitor of [linked, linkedToStrict]) {
      const { status, location } = await visitor.get(path);
      expect([status, location]).toEqual([303, '/portal/account']);
    }
    expect((await proven.get(path)).status).toBe(200);
  });

  it.each(['approve', 'refuse'])('cannot %s an export', async (verb) => {
    const form = { tenant: production.id, export: crypto.randomUUID() };
    const answer = await linked.post(`/portal/exports/${verb}`, form);
    expect([answer.status, answer.text.includes('A link is not enough for this tenant')]).toEqual([403, true]);
  });

  it('sees what it needs to set up a way, and how to leave', async () => {
    const { status, text } = await linked.get('/portal/account');
    expect(status).toBe(200);
    for (const wanted of ['Set up a passkey', 'action="/portal/password/begin"', 'action="/portal/sign-out"', 'Test'])
      expect(text).toContain(wanted);
    for (const unwanted of ['/portal/exports', '/portal/passkeys/remove', '/portal/recovery-codes', 'href="/portal/"'])
      expect(text).not.toContain(unwanted);
  });

  it('learns about itself that it needs a way, and nothing about the tenant but its name', async () => {
    const { status, text } = await linked.send('GET', '/portal/api/me', ownPage);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      tenants: [{ id: production.id, name: 'Test', role: 'ADMIN', needs_sign_in_way: true }],
    });
  });

  it('is told what to do, and the tenant that it tried', async () => {
    const body = JSON.stringify({
      name: 'Everything',
      type: 'private',
      rules: [{ description: '', priority: 1, container: '/', transform: 'reveal', permissions: ['token:read'] }],
    });
    const headers = { ...ownPage, 'content-type': 'application/json' };
    const { status, text } = await linked.send('POST', '/portal/api/applications', headers, body);
    expect(status).toBe(403);
    expect((JSON.parse(text) as { detail: string }).detail).toContain('Open /portal/account');
    const { rows } = await vault.database.owner.query(`select from applications where name = 'Everything'`);
    expect(rows).toEqual([]);
    expect((await recordsOf(vault, production, '*')).filter(({ outcome }) => outcome === 'denied')).toContainEqual(
      expect.objectContaining({ entity_type: 'application', operation: 'create', actor_type: 'user' }),
    );
  });

  it('can leave', async () => {
    const { visitor } = await welcome(vault, production);
    expect((await visitor.post('/portal/sign-out')).status).toBe(303);
    expect((await visitor.get('/portal/account')).location).toContain('/portal/sign-in');
  });
});

describe('a session begun with a way to sign in', () => {
  it.each(apiRoutes)('is let through to %s', async (_name, route) => {
    expect(isLetThrough(await ask(proven, route))).toBe(true);
    expect(isLetThrough(await ask(provenInStrict, route))).toBe(true);
  });

  it('opens something at all', async () => {
    expect(await ask(proven, { method: 'GET', url: '/portal/api/tenants/self' })).toBe('allowed');
  });
});

describe('the setting require_sign_in_way', () => {
  const read = (visitor: PortalVisitor) => ask(visitor, { method: 'GET', url: '/portal/api/tenants/self' });

  it('takes effect with the next request, and so does taking it back', async () => {
    const tenant = await vault.makeTenant();
    const { visitor } = await welcome(vault, tenant);
    expect(await read(visitor)).toBe('allowed');
    await changeSettings(tenant, { require_sign_in_way: 'true' });
    expect(await read(visitor)).toBe('sign-in-way-required');
    await changeSettings(tenant, { require_sign_in_way: 'false' });
    expect(await read(visitor)).toBe('allowed');
  });

  it('cannot be taken back by a session that it keeps out', async () => {
    const headers = { ...ownPage, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Test', settings: { require_sign_in_way: 'false' } });
    expect((await linkedToStrict.send('PUT', '/portal/api/tenants/self', headers, body)).status).toBe(403);
    expect(await read(linkedToStrict)).toBe('sign-in-way-required');
  });

  it('has no meaning in a production tenant, which always requires a way', async () => {
    expect((await changeSettings(production, { require_sign_in_way: 'false' })).status).toBe(200);
    expect(await read(linked)).toBe('sign-in-way-required');
  });

  it.each(['yes', 'True', '1', ''])('is not %j', async (value) => {
    expect((await changeSettings(strictTest, { require_sign_in_way: value })).status).toBe(400);
  });

  it.each(['require_signin_way', 'require_sign_in_ways', 'Require_Sign_In_Way'])('is not spelled %s', async (name) => {
    expect((await changeSettings(strictTest, { [name]: 'true' })).status).toBe(400);
  });

  it('counts as set if an earlier version has stored something else', async () => {
    const tenant = await vault.makeTenant();
    const { visitor } = await welcome(vault, tenant);
    await vault.database.owner.query(`update tenants set settings = '{"require_sign_in_way": "yes"}' where id = $1`, [
      tenant.id,
    ]);
    expect(await read(visitor)).toBe('sign-in-way-required');
  });
});
