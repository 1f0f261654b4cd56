import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RouteOptions } from 'fastify';
import { feedName } from '../../src/platform/database/changes/change-feed.ts';
import { longWork } from '../../src/http/connections/time-limit.ts';
import { outboundLimits } from '../../src/platform/outbound/outbound-config.ts';
import { type ApiRoute, listRoutes } from '../harness/api-routes.ts';
import { patienceMs, untilPasses, untilTrue } from '../harness/deadline.ts';
import { FreezablePostgres } from '../harness/freezable-postgres.ts';
import { slownessOfMachine } from '../harness/machine-speed.ts';
import { welcome } from '../harness/portal-people.ts';
import type { PortalVisitor } from '../harness/portal-visitor.ts';
import { tapRoutes } from '../harness/route-tap.ts';
import { createApplication } from '../harness/test-application.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

const limitSeconds = 4;
const nothing = 'Nothing was changed.';
const perhaps = 'The request may have taken effect.';

interface Refusal {
  readonly name: string;
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
  readonly tookMs: number;
}

let postgres: FreezablePostgres;
let vault: TestVault;
let tenant: TestTenant;
let visitor: PortalVisitor;
let operations: ApiRoute[];
let routes: readonly RouteOptions[];
beforeAll(async () => {
  postgres = await FreezablePostgres.start();
  const tapped = await tapRoutes(() =>
    TestVault.start(undefined, { database: postgres.database, requestTimeoutSeconds: limitSeconds }),
  );
  vault = tapped.started;
  routes = tapped.servers.flat();
  tenant = await vault.makeTenant();
  operations = listRoutes((await vault.request('GET', '/openapi.json')).body);
  // On a slow machine, these requests may time out too.
  ({ visitor } = await untilPasses(() => welcome(vault, tenant)));
}, patienceMs);
afterAll(async () => {
  postgres.wake();
  await vault.stop();
  await postgres.stop();
});

/**
 * Returns the extra time to allow. On a busy machine the requests themselves are slow, because hundreds are in flight
 * in one process.
 */
const allowanceMs = () => 3_000 * slownessOfMachine();

async function time(
  name: string,
  asking: () => Promise<{ status: number; headers: Headers; text: string }>,
): Promise<Refusal> {
  const startedAt = performance.now();
  const { status, headers, text } = await asking();
  return { name, status, text, retryAfter: headers.get('retry-after'), tookMs: performance.now() - startedAt };
}

const ask = (name: string, method: string, path: string, request: Parameters<TestVault['request']>[2]) =>
  time(name, () => vault.request(method, path, request));

/** Sends a request to every operation of the API, with keys that may use most of them. */
function askEverything(ids: Readonly<Record<string, string>>): Promise<Refusal>[] {
  const { management, reveal } = tenant.keys;
  return operations.flatMap(({ method, template, body, mediaType }) =>
    [management, reveal].map((key) => {
      const path = template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none');
      const headers = {
        'bt-proxy-url': 'https://nobody.example/',
        ...(body === undefined ? {} : { 'content-type': mediaType }),
      };
      return ask(`${method} ${template}`, method, path, { key, headers, ...(body === undefined ? {} : { body }) });
    }),
  );
}

function askPortal(): Promise<Refusal>[] {
  const script = { 'sec-fetch-site': 'same-origin' };
  return [
    time('portal', () => visitor.get('/portal/')),
    time('portal account', () => visitor.get('/portal/account')),
    time('portal sign-in', () =>
      visitor.post('/portal/sign-in', { email: 'a@example.com', password: 'x'.repeat(20), code: '123456' }),
    ),
    time('portal sign-out', () => visitor.post('/portal/sign-out')),
    time('portal logs', () => visitor.send('GET', '/portal/api/logs', script)),
    time('portal applications', () => visitor.send('GET', '/portal/api/applications', script)),
  ];
}

const listLong = () => routes.filter(({ config }) => config?.moreTimeFor !== undefined);

describe('more time than other requests', () => {
  it('is what these routes have, for these reasons', () => {
    const long = Map.groupBy(listLong(), ({ config }) => config?.moreTimeFor ?? '');
    const urls = Object.fromEntries(
      [...long].map(([why, some]) => [why, [...new Set(some.map(({ url }) => url))].sort()]),
    );
    const readingLog = ['/erasures/:id/receipt', '/logs/export', '/logs/exposure', '/logs/viewers'];
    expect(urls).toEqual({
      'proxy-call': ['/proxy', '/proxy/*'],
      'log-reading': [...readingLog, ...readingLog.map((url) => `/portal/api${url}`)],
    });
    expect(Object.keys(urls).sort()).toEqual(Object.keys(longWork).sort());
  });

  it('is for the proxy what a destination has', () => {
    expect(longWork['proxy-call'] * 1_000).toBe(outboundLimits.callMs);
  });
});

describe('while the database is frozen', () => {
  it(
    'no request takes longer than its limit, and what it says about itself is true',
    async () => {
      const { keys } = tenant;
      const make = async (id: string) => {
        const { status } = await vault.request('POST', '/tokens', {
          key: keys.private,
          body: { id, type: 'token', data: id },
        });
        expect([201, 409]).toContain(status);
      };
      const numbers = Array.from({ length: 5 }, (_, index) => index);
      await Promise.all(
        numbers.flatMap((n) => [`patched-${n}`, `deleted-${n}`]).map((id) => untilPasses(() => make(id))),
      );
      const application = await createApplication(vault, tenant);
      const ids = { id: application.id, keyId: crypto.randomUUID(), path: 'x' };

      // Keys stay cached as long as the change feed is alive, so these requests get as far as possible.
      await postgres.freeze({ sparing: feedName });
      const writes = numbers.flatMap((n) => [
        ask(`created-${n}`, 'POST', '/tokens', {
          key: keys.private,
          body: { id: `created-${n}`, type: 'token', data: 'x' },
        }),
        ask(`tokenized-${n}`, 'POST', '/tokenize', {
          key: keys.private,
          body: { id: `tokenized-${n}`, type: 'token', data: 'x' },
        }),
        ask(`patched-${n}`, 'PATCH', `/tokens/patched-${n}`, {
          key: keys.private,
          headers: { 'content-type': 'application/merge-patch+json' },
          rawBody: '{"metadata":{"is":"patched"}}',
        }),
        ask(`deleted-${n}`, 'DELETE', `/tokens/deleted-${n}`, { key: keys.private }),
        ask(`application-${n}`, 'POST', '/applications', {
          key: keys.management,
          body: { name: `application-${n}`, type: 'public', permissions: ['token:create'] },
        }),
        ask(`invited-${n}`, 'POST', '/tenants/self/invitations', {
          key: keys.management,
          body: { email: `invited-${n}@example.com` },
        }),
      ]);
      const first = await Promise.all([...writes, ...askEverything(ids), ...askPortal()]);
      // These requests get no further than the lookup of their key.
      postgres.freezeRest();
      await untilTrue(
        async () => (await vault.request('GET', '/permissions', { key: keys.management })).status === 503,
        {
          waitingFor: 'the change feed to be given up',
        },
      );
      const second = await Promise.all([...askEverything(ids), ...askPortal()]);
      postgres.wake();

      const limitMs = limitSeconds * 1_000 + allowanceMs();
      const isUsual = ({ name }: Refusal) =>
        !listLong().some(({ url }) => name.split(' ')[1]?.startsWith(url.replace('/*', '')));
      const usual = [...first, ...second].filter(isUsual);
      expect(usual.filter(({ tookMs }) => tookMs > limitMs)).toEqual([]);
      // Some requests do not need the database, and some bodies are invalid.
      expect(first.filter(({ status }) => status > 500 && status !== 503)).toEqual([]);
      expect(second.filter(isUsual).filter(({ status }) => status !== 503)).toEqual([]);
      for (const { name, retryAfter, text } of usual.filter(({ status }) => status === 503)) {
        expect([name, Number(retryAfter) > 0]).toEqual([name, true]);
        expect(text).toMatch(new RegExp(`${nothing}|${perhaps}`));
      }

      await untilTrue(
        () => {
          const { open, idle, waiting } = vault.server.core.database.usage;
          return open === idle && waiting === 0;
        },
        { waitingFor: 'the end of all statements' },
      );
      const written = first.slice(0, writes.length);
      const happened = await listHappened();
      expect(await listUnrecorded()).toEqual([]);
      for (const { name, status, text } of written) {
        expect([name, status]).toEqual([name, 503]);
        if (text.includes(nothing)) expect([name, happened.has(name)]).toEqual([name, false]);
      }
    },
    patienceMs,
  );
});

/** Lists tokens that exist without a record of their creation. */
async function listUnrecorded(): Promise<unknown[]> {
  const { rows } = await postgres.database.owner.query(
    `select id from tokens where not exists (
      select from audit_records r where r.entity_id = tokens.id and r.operation = 'create' and r.entity_type = 'token')`,
  );
  return rows;
}

/** Lists the writes that took effect. */
async function listHappened(): Promise<ReadonlySet<string>> {
  const { owner } = postgres.database;
  const { rows } = await owner.query<{ name: string }>(
    `select id as name from tokens where id like 'created-%' or id like 'tokenized-%'
      or (id like 'patched-%' and version > 1)
    union all select 'deleted-' || n from generate_series(0, 4) n where not exists (select from tokens where id = 'deleted-' || n)
    union all select name from applications where name like 'application-%'
    union all select split_part(email, '@', 1) from invitations where email like 'invited-%'`,
  );
  return new Set(rows.map(({ name }) => name));
}
