import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VaultServer } from '../../src/app/serve/vault-server.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { callbackPath } from '../../src/features/portal/index.ts';
import { readServerConfig } from '../../src/platform/config/config.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { CarelessOpenidServer } from '../harness/careless-openid-server.ts';
import { ExportFolder } from '../harness/export-run.ts';
import { welcome } from '../harness/portal-people.ts';
import { type PageResponse, PortalVisitor } from '../harness/portal-visitor.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/**
 * Approving an export requires a recent authentication. Unless a provider is asked to authenticate the user again, it
 * accepts a browser in which somebody signed in hours ago, so anyone who sits down at that browser could approve.
 */
let database: TestDatabase;
let server: VaultServer;
let provider: CarelessOpenidServer;
let folder: ExportFolder;
let tenant: { id: string };
let exportId: string;

beforeAll(async () => {
  [database, provider, folder] = await Promise.all([
    createTestDatabase(),
    CarelessOpenidServer.start(),
    ExportFolder.make(),
  ]);
  const port = await findFreePort();
  const config = readServerConfig({
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_DATABASE_CONNECTIONS: '4',
    STRONGROOM_ROOT_KEY: generateRootKey(),
    STRONGROOM_PUBLIC_URL: `http://localhost:${port}`,
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: String(port),
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_RATE_LIMITS: 'off',
    STRONGROOM_OPENID_ISSUER: provider.issuer,
    STRONGROOM_OPENID_CLIENT_ID: 'strongroom',
    STRONGROOM_OPENID_CLIENT_SECRET: 'between the two',
  });
  server = await VaultServer.start(config, { info: () => undefined, warn: () => undefined, error: () => undefined });
  const made = await server.core.tenantMaker.make({
    name: 'Acme',
    type: 'production',
    ownerEmail: null,
    applications: [],
  });
  tenant = { id: parseTenantId(made.tenantId) };
  const { visitor } = await welcome({ server }, tenant);
  provider.subject = 'approver';
  const answer = await comeBack(visitor, await visitor.post('/portal/provider'), nowSeconds());
  expect(answer.status).toBe(200);
});
beforeEach(async () => {
  ({ id: exportId } = await folder.request({ server }, tenant));
});
afterAll(async () => {
  await server.stop();
  await Promise.all([provider.stop(), database.drop(), folder.remove()]);
});

const nowSeconds = () => Math.floor(Date.now() / 1_000);

function departureIn(page: PageResponse): URL {
  const [, url = ''] = /<a href="([^"]+)"/.exec(page.text) ?? [];
  return new URL(url.replaceAll('&amp;', '&'));
}

/** Returns from the provider, which claims that it authenticated the user at that time. */
function comeBack(visitor: PortalVisitor, page: PageResponse, authTime: unknown): Promise<PageResponse> {
  const { searchParams } = departureIn(page);
  provider.nonce = searchParams.get('nonce') ?? '';
  provider.claims = authTime === undefined ? {} : { auth_time: authTime };
  const query = new URLSearchParams({ code: 'x', state: searchParams.get('state') ?? '', iss: provider.issuer });
  return visitor.get(`${callbackPath}?${query.toString()}`);
}

async function signInAt(authTime: unknown): Promise<PortalVisitor> {
  const visitor = new PortalVisitor(server.url);
  await comeBack(visitor, await visitor.post('/portal/sign-in/provider'), authTime);
  return visitor;
}

const approve = (visitor: PortalVisitor) =>
  visitor.post('/portal/exports/approve', { tenant: tenant.id, export: exportId });

describe('on the way to the provider', () => {
  it('authentication is asked for, however recent the last one was', async () => {
    const visitor = new PortalVisitor(server.url);
    const { searchParams } = departureIn(await visitor.post('/portal/sign-in/provider'));
    expect(searchParams.get('max_age')).toBe('0');
  });

  it('authentication is asked for when a provider is connected', async () => {
    const { visitor } = await welcome({ server }, tenant);
    expect(departureIn(await visitor.post('/portal/provider')).searchParams.get('max_age')).toBe('0');
  });
});

describe('somebody whom the provider let through', () => {
  it('can approve after having authenticated just now', async () => {
    const visitor = await signInAt(nowSeconds());
    expect((await approve(visitor)).status).toBe(303);
  });

  it.each<[string, () => unknown]>([
    ['hours ago', () => nowSeconds() - 8 * 3_600],
    ['a quarter of an hour ago', () => nowSeconds() - 15 * 60],
    ['before they left for the provider', () => nowSeconds() - 120],
    ['at a time that is not said', () => undefined],
    ['at a time that is yet to come', () => nowSeconds() + 3_600],
    ['at the beginning of time', () => 0],
  ])('cannot approve after having authenticated %s', async (_name, authTime) => {
    const visitor = await signInAt(authTime());
    expect(await visitor.isSignedIn()).toBe(true);
    const answer = await approve(visitor);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('authenticate again');
    const { rows } = await database.owner.query('select from token_export_approvals where export_id = $1', [exportId]);
    expect(rows).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    ['a text', () => String(nowSeconds())],
    ['no number', () => ({})],
    ['null', () => null],
  ])('cannot approve when the time is %s', async (_name, authTime) => {
    const visitor = await signInAt(authTime());
    expect((await approve(visitor)).location).not.toBe('/portal/exports');
  });

  it('cannot add another way in either, unless authenticated just now', async () => {
    const stale = await signInAt(nowSeconds() - 3_600);
    for (const path of ['/portal/password/begin', '/portal/provider', '/portal/passkeys']) {
      expect([path, (await stale.post(path)).status]).toEqual([path, 403]);
    }
    expect((await (await signInAt(nowSeconds())).post('/portal/password/begin')).status).toBe(200);
  });

  it('can refuse an export all the same, which keeps everything where it is', async () => {
    const stale = await signInAt(nowSeconds() - 3_600);
    const form = { tenant: tenant.id, export: exportId };
    expect((await stale.post('/portal/exports/refuse', form)).status).toBe(303);
  });

  it('is not helped by signing in again in the same way', async () => {
    const visitor = await signInAt(nowSeconds() - 3_600);
    await comeBack(visitor, await visitor.post('/portal/sign-in/provider'), nowSeconds() - 3_600);
    expect((await approve(visitor)).status).toBe(403);
  });
});
