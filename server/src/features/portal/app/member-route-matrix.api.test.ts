import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { welcome } from '../../../../test/harness/portal-people.ts';
import { PortalVisitor } from '../../../../test/harness/portal-visitor.ts';
import { tapRoutes } from '../../../../test/harness/route-tap.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import type { Permission } from '../../../core/access/permission.ts';
import { permissionsNeeded } from '../../../http/routes/route-config.ts';
import { type Role, rolePermissions } from '../../members/index.ts';
import { memberApiPrefix } from './member-routes.ts';

// The matrix covers every route that the server offers to members. New routes are included automatically.

interface Route {
  readonly method: string;
  readonly url: string;
  readonly needs: readonly Permission[];
  readonly isReadOnly: boolean;
}

interface Person {
  readonly visitor: PortalVisitor;
  readonly email: string;
}

const roles = ['OWNER', 'ADMIN', 'READ_ONLY'] as const satisfies readonly Role[];
/** The route that always requires the key of an application. */
const forKeysOnly = 'GET /portal/api/applications/key';
const ownPage = { 'sec-fetch-site': 'same-origin' };

let vault: TestVault;
let tenant: TestTenant;
let memberRoutes: Route[];
let keyRoutes: Route[];
beforeAll(async () => {
  const { started, servers } = await tapRoutes(() => TestVault.start());
  vault = started;
  const routes = servers.flat().filter(({ config }) => (config?.permission ?? 'public') !== 'public');
  memberRoutes = routes
    .filter(isForMembers)
    .flatMap(toRoutes)
    .toSorted((a, b) => lastOf(a) - lastOf(b));
  keyRoutes = routes.filter((route) => !isForMembers(route)).flatMap(toRoutes);
  tenant = await vault.makeTenant();
});
afterAll(() => vault.stop());

function isForMembers({ url }: RouteOptions): boolean {
  return url.startsWith(`${memberApiPrefix}/`);
}

/** Sorts these routes last, because deleting the tenant closes all other routes and restoring it opens them again. */
function lastOf(route: Route): number {
  return ['DELETE /portal/api/tenants/self', 'POST /portal/api/tenants/self/restore'].indexOf(nameOf(route));
}

function toRoutes({ method, url, config }: RouteOptions): Route[] {
  const methods = [method].flat().filter((one) => one !== 'HEAD');
  const isReadOnly = (one: string) => one === 'GET' || config?.isReadOnly === true;
  return methods.map((one) => ({
    method: one,
    url,
    needs: permissionsNeeded(config),
    isReadOnly: isReadOnly(one),
  }));
}

async function signIn(role: Role): Promise<Person> {
  const { visitor, email } = await welcome(vault, tenant);
  // A tenant has one owner. Only an invited user can sign in, so the existing owner is demoted.
  if (role === 'OWNER') await ownerSql(`update members set role = 'ADMIN' where tenant_id = $1 and role = 'OWNER'`);
  await ownerSql(`update members set role = $2 where tenant_id = $1 and ${isTheirs('$3')}`, role, email);
  return { visitor, email };
}

const isTheirs = (email: string) => `user_id = (select id from users where email = ${email})`;

function ownerSql(text: string, ...values: string[]): Promise<unknown> {
  return vault.database.owner.query(text, [tenant.id, ...values]);
}

async function ask(
  visitor: PortalVisitor,
  { method, url }: Route,
  headers: Readonly<Record<string, string>> = ownPage,
) {
  const { status, text } = await visitor.send(method, url.replaceAll(/:\w+|\*/g, crypto.randomUUID()), headers);
  const [, code = ''] = status < 400 ? [] : (/"type":"\/docs\/errors\/([a-z-]+)"/.exec(text) ?? []);
  return { status, code };
}

const nameOf = ({ method, url }: Route) => `${method} ${url}`;

function expectedOf(role: Role, route: Route, isFresh: boolean): string {
  const isPermitted = route.needs.every((permission) => rolePermissions[role].includes(permission));
  if (!isPermitted || nameOf(route) === forKeysOnly) return 'forbidden';
  return isFresh || route.isReadOnly ? 'allowed' : 'sign-in-too-old';
}

/** Returns the outcome of the access checks. Unknown ids and empty bodies are rejected only after these checks. */
function outcomeOf({ status, code }: { readonly status: number; readonly code: string }): string {
  if (code === 'forbidden' || code === 'sign-in-too-old') return code;
  return status === 401 || status >= 500 ? `${status}` : 'allowed';
}

describe('every route for members', () => {
  it('is known, with what it changes', () => {
    expect(memberRoutes.length).toBeGreaterThan(40);
    for (const permission of rolePermissions.OWNER)
      expect(memberRoutes.flatMap(({ needs }) => needs)).toContain(permission);
    const readOnly = memberRoutes.filter(({ method, isReadOnly }) => method !== 'GET' && isReadOnly);
    expect(readOnly.map(nameOf).toSorted()).toEqual([
      'POST /portal/api/access/explain',
      'POST /portal/api/access/who',
      'POST /portal/api/retention-rules/preview',
      'POST /portal/api/tokens/search',
      'POST /portal/api/v2/tokens/search',
    ]);
  });

  describe.each(roles)('for %s', (role) => {
    it.each([true, false])('does what the role permits; the sign-in is recent: %s', async (isFresh) => {
      const { visitor, email } = await signIn(role);
      if (!isFresh)
        await vault.database.owner.query(
          `update user_sessions set created_at = now() - interval '16 minutes' where ${isTheirs('$1')}`,
          [email],
        );
      const wrong: string[] = [];
      const seen = new Set<string>();
      for (const route of memberRoutes) {
        const expected = expectedOf(role, route, isFresh);
        const outcome = outcomeOf(await ask(visitor, route));
        seen.add(outcome);
        if (outcome !== expected) wrong.push(`${nameOf(route)} was ${outcome}, not ${expected}`);
      }
      expect(wrong).toEqual([]);
      expect(seen.size).toBe(isFresh || role === 'READ_ONLY' ? 2 : 3);
    });

    it('refuses somebody with the first request after they were removed', async () => {
      const { visitor, email } = await signIn(role);
      expect((await visitor.send('GET', '/portal/api/logs', ownPage)).status).toBe(200);
      await ownerSql(`delete from members where tenant_id = $1 and ${isTheirs('$2')}`, email);
      const wrong: string[] = [];
      for (const route of memberRoutes) {
        const { status } = await ask(visitor, route);
        if (status !== 401) wrong.push(`${nameOf(route)} was ${status}`);
      }
      expect(wrong).toEqual([]);
      // A tenant must have an owner, so one member becomes the owner again.
      if (role === 'OWNER')
        await ownerSql(
          `update members set role = 'OWNER' where tenant_id = $1 and id = (select id from members where tenant_id = $1 limit 1)`,
        );
    });
  });

  it('refuses everybody without a session, a key in its place, and requests of other sites', async () => {
    const stranger = new PortalVisitor(vault.server.url);
    const { visitor } = await signIn('ADMIN');
    const { origin } = new URL(vault.server.url);
    const attempts: readonly (readonly [string, PortalVisitor, Readonly<Record<string, string>>])[] = [
      ['401', stranger, ownPage],
      ['401', stranger, { ...ownPage, 'bt-api-key': tenant.keys.management }],
      ...['cross-site', 'same-site', 'none', ''].map((site) => ['403', visitor, { 'sec-fetch-site': site }] as const),
      ['403', visitor, { 'sec-fetch-site': 'cross-site', origin }],
      ...['https://evil.example', 'null', `${origin}.evil.example`, ''].map(
        (other) => ['403', visitor, { origin: other }] as const,
      ),
      ['403', visitor, {}],
    ];
    const wrong: string[] = [];
    for (const route of memberRoutes) {
      for (const [expected, who, headers] of attempts) {
        const { status } = await ask(who, route, headers);
        if (String(status) !== expected) wrong.push(`${nameOf(route)} with ${JSON.stringify(headers)} was ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('a session cookie', () => {
  it('opens nothing that is for keys', async () => {
    const { visitor } = await signIn('OWNER');
    expect(keyRoutes.length).toBeGreaterThan(40);
    const wrong: string[] = [];
    for (const route of keyRoutes) {
      const { status, code } = await ask(visitor, route);
      if (status !== 401 || code !== 'unauthenticated') wrong.push(`${nameOf(route)} was ${status}`);
    }
    expect(wrong).toEqual([]);
  });
});
