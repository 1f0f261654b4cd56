import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VaultServer } from '../../src/app/serve/vault-server.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { callbackPath, SignInLinks } from '../../src/features/portal/index.ts';
import { readServerConfig } from '../../src/platform/config/config.ts';
import { generateRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { findFreePort } from '../../src/platform/local-postgres/free-port.ts';
import { addAuthenticator, Chromium } from '../harness/chromium.ts';
import { OpenidServer } from '../harness/openid-server.ts';
import { codeOf, goodPassword, inviteTo } from '../harness/portal-people.ts';
import { readQrCode } from '../harness/qr-code.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';
import { cheapHasher } from '../harness/test-vault.ts';

let database: TestDatabase;
let server: VaultServer;
let unprovided: VaultServer;
let unprovidedUrl: string;
let provider: OpenidServer;
let chromium: Chromium;
let url: string;
let tenant: { id: string };
/** The browser of one user. */
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  const port = await findFreePort();
  url = `http://localhost:${port}`;
  [database, chromium] = await Promise.all([createTestDatabase(), Chromium.start()]);
  provider = await OpenidServer.start(await findFreePort(), `${url}${callbackPath}`);
  server = await startServer(port);
  // A second server that has not contacted the provider yet.
  const otherPort = await findFreePort();
  unprovidedUrl = `http://localhost:${otherPort}`;
  unprovided = await startServer(otherPort);
});
beforeEach(async () => {
  const made = await server.core.tenantMaker.make({ name: 'Acme', type: 'test', ownerEmail: null, applications: [] });
  tenant = { id: made.tenantId };
  ({ context, page, complaints } = await chromium.open());
});
afterAll(async () => {
  await chromium.stop();
  await Promise.all([server.stop(), unprovided.stop()]);
  await provider.stop();
  await database.drop();
});

const rootKey = generateRootKey();
function startServer(port: number): Promise<VaultServer> {
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const config = readServerConfig({
    STRONGROOM_DATABASE_URL: database.url,
    STRONGROOM_DATABASE_CONNECTIONS: '4',
    STRONGROOM_ROOT_KEY: rootKey,
    STRONGROOM_PUBLIC_URL: `http://localhost:${port}`,
    STRONGROOM_HOST: '127.0.0.1',
    STRONGROOM_PORT: String(port),
    STRONGROOM_ADMIN_PORT: '0',
    STRONGROOM_OPENID_ISSUER: provider.config.issuer,
    STRONGROOM_OPENID_CLIENT_ID: provider.config.clientId,
    STRONGROOM_OPENID_CLIENT_SECRET: provider.config.clientSecret.reveal(),
    STRONGROOM_OPENID_NAME: provider.config.name,
  });
  return VaultServer.start(config, quiet, { passwordHasher: cheapHasher() });
}
const heading = () => page.getByRole('heading', { level: 1 }).textContent();
const press = (name: string) => page.getByRole('button', { name }).click();
/** Fills in the steps of the sign-in page one after the other. Without an address, it begins with the password. */
async function enter(given: { email?: string; password: string; code: string }): Promise<void> {
  const steps = [
    ...(given.email === undefined ? [] : [['E-mail address', given.email] as const]),
    ['Password', given.password],
    ['Code from your authenticator app', given.code],
  ] as const;
  for (const [index, [label, text]] of steps.entries()) {
    await page.getByLabel(label).fill(text);
    const isLast = index === steps.length - 1;
    await page
      .locator('form[action="/portal/sign-in"]')
      .getByRole('button', { name: isLast ? 'Sign in' : 'Continue' })
      .click();
  }
}
const passkeyInList = () => page.getByRole('listitem').filter({ hasText: /^Chrome on Linux passkey, added/ });
async function accept(): Promise<string> {
  const { path, email } = await inviteTo({ server }, tenant);
  await page.goto(`${url}${path}`);
  await press('Accept the invitation');
  // A new member has to set up a sign-in method first.
  await page.waitForURL(`${url}/portal/account`);
  return email;
}
/** Sets up the first passkey. This ends the session that began with a link. */
async function setUpPasskey(): Promise<void> {
  await press('Set up a passkey');
  await page.getByText('All set. Sign in with what you have just set up.').waitFor();
}
async function openAccountByPasskey(): Promise<void> {
  await press('Sign in with a passkey');
  await page.waitForURL(`${url}/portal/`);
  await page.goto(`${url}/portal/account`);
}
async function signOut(): Promise<void> {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL(`${url}/portal/sign-in`);
}
async function isSignedInAs(name: string, path = '/portal/'): Promise<void> {
  await page.waitForURL(`${url}${path}`);
  await page.goto(`${url}/portal/account`);
  expect(await page.getByRole('strong').first().textContent()).toBe(name);
}
/** Returns true if the newest session's proof is as old as its user's row in this table. */
async function isNewestSessionProvenBy(table: 'user_passkeys' | 'user_identities'): Promise<boolean> {
  const { rows } = await database.owner.query<{ same: boolean }>(
    `select s.proven_since = c.created_at as same from user_sessions s join ${table} c on c.user_id = s.user_id
      order by s.created_at desc limit 1`,
  );
  return rows[0]?.same === true;
}

describe('somebody with a browser', () => {
  it('sees what an invitation is about, accepts it and is in', async () => {
    const { path, email } = await inviteTo({ server }, tenant);
    await page.goto(`${url}${path}`);
    expect(await heading()).toBe('Invitation to Acme');
    for (const text of ['Acme', 'a vault operator', 'ADMIN', email]) {
      expect(await page.getByText(text).count()).toBeGreaterThan(0);
    }
    await chromium.photograph(page, 'invitation');
    await press('Accept the invitation');
    await isSignedInAs(email, '/portal/account');
    await chromium.photograph(page, 'account');
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({
      name: '__Host-strongroom_session',
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
    });
    expect(complaints).toEqual([]);
  });

  it('comes in by the link of an operator', async () => {
    const { database: opened, systemKeys } = server.core;
    const link = await new SignInLinks({ database: opened, systemKeys }).make(parseTenantId(tenant.id), undefined);
    await page.goto(`${url}${link}`);
    await chromium.photograph(page, 'link');
    await press('Sign in');
    await page.waitForURL(`${url}/portal/`);
    await page.goto(`${url}/portal/account`);
    expect(await heading()).toBe('Set up a way to sign in');
    await page.goto(`${url}${link}`);
    expect(await heading()).toBe('Not Found');
    // A browser reports a missing page in its console.
    expect(complaints).toHaveLength(1);
  });

  it('sets a password with an authenticator app and signs in with both', async () => {
    const email = await accept();
    await press('Set a password');
    const secret = (await page.locator('#key').textContent()) ?? '';
    await page.getByLabel('New password').fill(goodPassword);
    await page.getByLabel('Code from the app').fill(codeOf(secret));
    await chromium.photograph(page, 'password-setup');
    await press('Set the password');
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    const codes = await page.locator('.codes code').allTextContents();
    await chromium.photograph(page, 'recovery-codes');
    // Browsers ask only if somebody has used the page.
    await page.getByRole('heading', { name: 'Your recovery codes' }).click();
    const question = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    expect((await question).type()).toBe('beforeunload');
    await (await question).dismiss();
    await page.getByRole('link', { name: 'I have stored them' }).click();
    await page.waitForURL(`${url}/portal/sign-in?ready=true`);

    await enter({ email, password: 'not the password', code: codeOf(secret, 1) });
    expect(await page.getByRole('alert').first().textContent()).toContain('incorrect');
    await chromium.photograph(page, 'password-wrong');
    // The address is kept, so the password is next.
    expect(await page.locator('#email').inputValue()).toBe(email);
    await enter({ password: goodPassword, code: codeOf(secret, 1) });
    await isSignedInAs(email);
    await chromium.photograph(page, 'password-in');
    await signOut();

    // The user has lost the app.
    await enter({ email, password: goodPassword, code: codes[3] ?? '' });
    await isSignedInAs(email);
    expect(await page.getByText('9 recovery codes left').count()).toBe(1);
  });

  it('scans the QR code with an app, in light and in dark, and nothing was loaded for it', async () => {
    const email = await accept();
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await press('Set a password');
    const secret = (await page.locator('#key').textContent()) ?? '';
    const label = encodeURIComponent(`Strongroom:${email}`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await chromium.photograph(page, `password-setup-${colorScheme}`);
      const read = await readQrCode(page.getByRole('img', { name: 'QR code for the authenticator app' }));
      expect(read).toBe(`otpauth://totp/${label}?secret=${secret}&issuer=Strongroom`);
    }
    expect(requested.filter((path) => !path.startsWith('/portal/'))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('removes a passkey after a warning, and is not let in by it any more', async () => {
    await addAuthenticator(context, page);
    await accept();
    await setUpPasskey();
    await openAccountByPasskey();
    await passkeyInList().waitFor();
    await chromium.photograph(page, 'passkey-listed');
    await page.getByRole('button', { name: /^Remove: Chrome on Linux, added/ }).click();
    await page.getByText('This is your only way to sign in.').waitFor();
    await chromium.photograph(page, 'passkey-removal');
    await press('Remove the passkey nevertheless');
    await page.getByText('Set up a way to sign in below.').waitFor();
    expect(await passkeyInList().count()).toBe(0);
    await signOut();
    await press('Sign in with a passkey');
    await page.getByText('The passkey is unknown').waitFor();
    expect(await context.cookies(url)).toEqual([]);
  });

  it('adds a passkey and signs in with nothing else', async () => {
    await addAuthenticator(context, page);
    const email = await accept();
    await setUpPasskey();
    await chromium.photograph(page, 'sign-in');
    await press('Sign in with a passkey');
    await isSignedInAs(email);
    await chromium.photograph(page, 'passkey-in');
    expect(complaints).toEqual([]);
    const { rows } = await database.owner.query(
      'select sign_count, last_used_at is not null as used from user_passkeys',
    );
    expect(rows).toMatchObject([{ used: true }]);
    expect(await isNewestSessionProvenBy('user_passkeys')).toBe(true);
  });

  it('sets up a passkey with the link of an invitation to a production tenant, and is in with the passkey alone', async () => {
    const made = { name: 'Acme Payments', type: 'production' as const, ownerEmail: null, applications: [] };
    tenant = { id: (await server.core.tenantMaker.make(made)).tenantId };
    await addAuthenticator(context, page);
    const email = await accept();
    expect(await heading()).toBe('Set up a way to sign in');
    await page.goto(`${url}/portal/applications`);
    expect(page.url()).toBe(`${url}/portal/account`);
    await setUpPasskey();
    await chromium.photograph(page, 'ready-to-sign-in');
    await press('Sign in with a passkey');
    await isSignedInAs(email);
    expect(await isNewestSessionProvenBy('user_passkeys')).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('cannot send the answer of a passkey a second time, nor use it elsewhere', async () => {
    await addAuthenticator(context, page);
    await accept();
    await setUpPasskey();
    const sent = page.waitForRequest(`${url}/portal/sign-in/passkey`);
    await press('Sign in with a passkey');
    const body = (await sent).postData() ?? '';
    await page.waitForURL(`${url}/portal/`);
    const replay = async (text: string) => {
      // Many passkeys do not count their uses, so protection against replays must not depend on the counter.
      await database.owner.query('update user_passkeys set sign_count = 0');
      return fetch(`${url}/portal/sign-in/passkey`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
        body: text,
      });
    };
    expect((await replay(body)).status).toBe(401);
    const other = await (await fetch(`${url}/portal/sign-in`)).text();
    const form = new URLSearchParams(body);
    form.set('sealed', /name="sealed" value="([^"]*)"/.exec(other)?.[1] ?? '');
    expect((await replay(form.toString())).status).toBe(401);
  });

  it('is not let in by a passkey that was used without making sure by whom, whatever the page asked for', async () => {
    const authenticator = await addAuthenticator(context, page);
    await accept();
    await setUpPasskey();
    await authenticator.stopVerifying();
    await press('Sign in with a passkey');
    await page.getByText('The passkey could not be used').waitFor();
    // The page is manipulated to request less.
    const form = page.locator('form[data-passkey]');
    const options = ((await form.getAttribute('data-options')) ?? '').replace('"required"', '"discouraged"');
    await form.evaluate((element, text) => element.setAttribute('data-options', text), options);
    await press('Sign in with a passkey');
    await page.getByText('The passkey is unknown').waitFor();
    expect(await context.cookies(url)).toEqual([]);
  });

  it('names a second passkey, sees where it is signed in, and signs out everywhere', async () => {
    const first = await addAuthenticator(context, page);
    const email = await accept();
    await setUpPasskey();
    await openAccountByPasskey();
    await first.remove();
    await addAuthenticator(context, page);
    await page.getByLabel('Name of a new passkey').fill('Key at the <b>office</b>');
    await press('Add a passkey');
    await page.getByRole('listitem').filter({ hasText: 'Key at the <b>office</b> passkey, added' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Chrome on Linux, this browser' }).waitFor();
    await chromium.photograph(page, 'account-sessions');
    await press('Sign out everywhere');
    await page.waitForURL(`${url}/portal/sign-in`);
    const left = 'select from user_sessions s join users u on u.id = s.user_id where u.email = $1';
    expect((await database.owner.query(left, [email])).rowCount).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('connects an OpenID provider and signs in with it, in the same tab', async () => {
    const person = `person-${crypto.randomUUID()}`;
    const email = await accept();
    await press('Connect Acme login');
    await authenticateAs(person);
    await page.getByText('All set. Sign in with what you have just set up.').waitFor();
    await chromium.photograph(page, 'provider-connected');
    await press('Sign in with Acme login');
    // However recent the last authentication was, the provider must ask again.
    await authenticateAs(person);
    await isSignedInAs(email);
    const acme = page.getByRole('listitem').filter({ hasText: 'Acme login' });
    expect(await acme.locator('.note').textContent()).toBe('connected');
    await chromium.photograph(page, 'provider-in');
    expect(context.pages()).toHaveLength(1);
    expect(await isNewestSessionProvenBy('user_identities')).toBe(true);
    const changes = await database.owner.query(
      `select 1 from audit_records r join users u on u.id = r.actor_id
        where u.email = $1 and r.entity_type = 'member' and r.operation = 'change_sign_in'`,
      [email],
    );
    expect(changes.rows).toHaveLength(1);

    await press('Remove: Acme login');
    await press('Disconnect the provider nevertheless');
    await acme.getByText('not connected').waitFor();
    await signOut();
    await press('Sign in with Acme login');
    await authenticateAs(person);
    await page.getByText('not connected to a user').waitFor();
  });

  it('comes back to the page that they wanted to see, with a passkey and with a provider', async () => {
    const wanted = '/portal/audit?outcome=denied';
    await addAuthenticator(context, page);
    await accept();
    await setUpPasskey();
    await openAccountByPasskey();
    const person = `person-${crypto.randomUUID()}`;
    await press('Connect Acme login');
    await authenticateAs(person);
    await page.waitForURL(`${url}/portal/account`);
    for (const signIn of [
      () => press('Sign in with a passkey'),
      () => press('Sign in with Acme login').then(() => authenticateAs(person)),
    ]) {
      await page.goto(`${url}/portal/account`);
      await signOut();
      await page.goto(`${url}${wanted}`);
      expect(page.url()).toBe(`${url}/portal/sign-in?next=${encodeURIComponent(wanted)}`);
      await signIn();
      await page.waitForURL(`${url}${wanted}`);
    }
  });

  it('is nobody with an account of the provider that is not connected, whatever address it reports', async () => {
    const email = await accept();
    await signOut();
    await press('Sign in with Acme login');
    // The provider reports a member's address and claims that it was verified.
    await authenticateAs(email.replace('@example.com', ''));
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByRole('alert').first().textContent()).toContain('not connected');
    await chromium.photograph(page, 'provider-unknown');
    expect(await context.cookies(url)).toEqual([]);
  });

  it('cannot be made to come back from a journey that began elsewhere', async () => {
    const comeBack = async (query: string) => {
      await page.goto(`${url}${callbackPath}?${query}`);
      expect(await page.getByRole('alert').first().textContent()).toContain('did not confirm');
      expect(await context.cookies(url)).toEqual([]);
    };
    await comeBack('code=x&state=y');
    // A flow that began here does not accept the response of another flow either.
    await page.goto(`${url}/portal/sign-in`);
    await press('Sign in with Acme login');
    await page.locator('input[name="login"]').waitFor();
    await comeBack('code=x&state=y');
  });
});

describe('a provider that is away', () => {
  it('keeps nobody from signing in another way', async () => {
    await provider.stop();
    const { email, path } = await inviteTo({ server: unprovided }, tenant);
    await page.goto(`${unprovidedUrl}/portal/sign-in`);
    await press('Sign in with Acme login');
    expect(await page.getByRole('alert').first().textContent()).toContain('cannot be reached');
    await page.goto(`${unprovidedUrl}${path}`);
    await press('Accept the invitation');
    await page.waitForURL(`${unprovidedUrl}/portal/account`);
    expect(await page.getByRole('main').getByText(email).count()).toBe(1);
  });
});

/** Authenticates at the provider as the given person and consents to sharing the identity with the vault. */
async function authenticateAs(person: string): Promise<void> {
  await page.locator('input[name="login"]').fill(person);
  await page.locator('input[name="password"]').fill('anything');
  await page.locator('button[type="submit"]').click();
  await confirm();
}

async function confirm(): Promise<void> {
  const consent = page.locator('button[type="submit"]', { hasText: /continue/i });
  await Promise.race([consent.waitFor(), page.waitForURL(`${url}/portal/**`)]);
  if (await consent.isVisible()) await consent.click();
}
