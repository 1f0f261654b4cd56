import { createApplication } from './test-application.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** The rights of a key. Rules are evaluated in this order. */
export interface LimitedRights {
  readonly type?: 'private' | 'public';
  readonly permissions?: readonly string[];
  readonly rules?: readonly LimitedRule[];
}

export type LimitedRule = Readonly<Record<string, unknown>>;

export function ruleOn(container: string, transform: string, ...permissions: string[]): LimitedRule {
  return { container, transform, permissions };
}

/** Creates an application with these rights and returns its key. */
export async function makeLimitedKey(vault: TestVault, tenant: TestTenant, rights: LimitedRights): Promise<string> {
  return (await createApplication(vault, tenant, toBody(rights))).key;
}

/**
 * Creates a session with these rights and returns its key. Its authorizer has the rights in `has` at first, and those
 * in `isLeftWith`, if set, afterwards.
 */
export async function makeSessionKey(
  vault: TestVault,
  tenant: TestTenant,
  rights: Omit<LimitedRights, 'type'>,
  authorizer: { readonly has: LimitedRights; readonly isLeftWith?: LimitedRights; readonly expiresAt?: Date },
): Promise<string> {
  const { id, key } = await createApplication(vault, tenant, toBody(authorizer.has));
  const session = await vault.request('POST', '/sessions', { key: tenant.keys.public });
  const { session_key, nonce } = session.body as { session_key: string; nonce: string };
  const { permissions, rules } = toBody(rights);
  const body = { nonce, permissions, rules, expires_at: authorizer.expiresAt };
  const answer = await vault.request('POST', '/sessions/authorize', { key, body });
  if (answer.status !== 200) throw new Error(`The session was not authorized: ${answer.text}`);
  if (authorizer.isLeftWith !== undefined) {
    const left = { name: 'Less', ...toBody(authorizer.isLeftWith), type: undefined };
    await vault.request('PUT', `/applications/${id}`, { key: tenant.keys.management, body: left });
  }
  return session_key;
}

function toBody({ type = 'private', permissions = [], rules = [] }: LimitedRights) {
  return { type, permissions, rules: rules.map((rule, priority) => ({ priority, ...rule })) };
}
