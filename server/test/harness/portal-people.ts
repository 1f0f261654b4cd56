import { parseTenantId } from '../../src/core/identity/ids.ts';
import { InvitationLinks, InvitationService } from '../../src/features/invitations/index.ts';
import { computeTotp } from '../../src/platform/keyring/sign-in/totp.ts';
import { fieldIn, type PageResponse, PortalVisitor } from './portal-visitor.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

export const goodPassword = 'correct horse battery staple 7';

/** Creates an invitation and returns the path of its link, as an operator sees it. */
export async function inviteTo(
  vault: Pick<TestVault, 'server'>,
  tenant: Pick<TestTenant, 'id'>,
  email = `${crypto.randomUUID()}@example.com`,
): Promise<{ id: string; email: string; path: string }> {
  const { database, audit, systemKeys } = vault.server.core;
  const links = new InvitationLinks({ systemKeys, publicUrl: '' });
  const invitations = new InvitationService({ database, audit, links });
  const tenantId = parseTenantId(tenant.id);
  const { id } = await invitations.create(tenantId, 'system', { email, role: 'ADMIN' });
  return { id, email, path: (await invitations.showLink(tenantId, id)) ?? '' };
}

/** Returns a visitor who has signed in by accepting an invitation. */
export async function welcome(
  vault: Pick<TestVault, 'server'>,
  tenant: Pick<TestTenant, 'id'>,
): Promise<{ visitor: PortalVisitor; email: string }> {
  const { path, email } = await inviteTo(vault, tenant);
  const visitor = new PortalVisitor(vault.server.url);
  const answer = await visitor.post(path);
  if (answer.status !== 303) throw new Error(`Nobody was let in: ${answer.text}`);
  return { visitor, email };
}

/**
 * Returns a visitor who has joined without a sign-in method, but whose session is treated as if it had begun with one.
 * The visitor can change the user's sign-in methods as often as a test needs.
 */
export async function welcomeProven(
  vault: Pick<TestVault, 'server' | 'database'>,
  tenant: Pick<TestTenant, 'id'>,
): Promise<{ visitor: PortalVisitor; email: string }> {
  const { visitor, email } = await welcome(vault, tenant);
  await vault.database.owner.query(
    'update user_sessions set proven_since = now() where user_id = (select id from users where email = $1)',
    [email],
  );
  return { visitor, email };
}

/** Sets a password with an authenticator and returns its secret. */
export async function setPassword(visitor: PortalVisitor, password = goodPassword): Promise<string> {
  return (await setPasswordWithCodes(visitor, password)).secret;
}

/** Sets a password with an authenticator and returns its secret and the recovery codes. */
export async function setPasswordWithCodes(
  visitor: PortalVisitor,
  password = goodPassword,
): Promise<{ secret: string; codes: string[] }> {
  const page = await visitor.post('/portal/password/begin');
  const [, secret = ''] = /<code id="key">([A-Z2-7]+)<\/code>/.exec(page.text) ?? [];
  const answer = await visitor.post('/portal/password', {
    sealed: fieldIn(page, 'sealed'),
    password,
    code: codeOf(secret),
  });
  if (answer.status !== 200) throw new Error(`No password was set: ${answer.text}`);
  return { secret, codes: codesIn(answer) };
}

/** Returns the recovery codes on a page. */
export function codesIn({ text }: PageResponse): string[] {
  return [...text.matchAll(/<li><code>([A-Z2-7-]{19})<\/code><\/li>/g)].map(([, code = '']) => code);
}

/** Returns the code that the authenticator shows now, or `steps` steps later. */
export function codeOf(secret: string, steps = 0): string {
  return computeTotp(secret, Math.floor(Date.now() / 30_000) + steps);
}

/** Returns a visitor who has signed in with a password, not with a link. */
export async function signInProven(
  vault: Pick<TestVault, 'server'>,
  tenant: Pick<TestTenant, 'id'>,
): Promise<{ visitor: PortalVisitor; email: string }> {
  const { visitor: newcomer, email } = await welcome(vault, tenant);
  const secret = await setPassword(newcomer);
  const visitor = new PortalVisitor(vault.server.url);
  const answer = await visitor.post('/portal/sign-in', { email, password: goodPassword, code: codeOf(secret, 1) });
  if (answer.status !== 303) throw new Error(`Nobody was let in: ${answer.text}`);
  return { visitor, email };
}
