import { ApiCaller } from './api-caller.ts';
import type { VaultAddress } from './vault-address.ts';

/** Authorizes a session as a shop's server would: the session that the nonce identifies may read and use tokens. */
export async function authorizeSession(vault: VaultAddress, nonce: string, key = vault.keys.reveal): Promise<void> {
  const permissions = ['token:read', 'token:use'];
  const rule = { description: 'Show a card', priority: 1, container: '/', transform: 'reveal', permissions };
  const answer = await new ApiCaller(vault, key).post('/sessions/authorize', { nonce, rules: [rule] });
  if (answer.status !== 200 && answer.status !== 204) throw new Error(`The session was not authorized: ${answer.text}`);
}
