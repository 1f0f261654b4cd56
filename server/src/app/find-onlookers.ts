import type { TenantId } from '../core/identity/ids.ts';
import { type Onlookers, WhoService } from '../features/explain/index.ts';
import { isTokenId, noSuchToken, TokenStore, unlimitedSets } from '../features/tokens/index.ts';
import type { VaultConfig } from '../platform/config/config.ts';
import { VaultCore } from './vault-core.ts';

/** Everybody who can see a token, or a token in a container, sessions to the last. */
export async function findOnlookers(
  config: VaultConfig,
  tenantId: TenantId,
  target: { readonly token: string } | { readonly container: string },
): Promise<Onlookers> {
  const core = await VaultCore.open(config);
  try {
    const { database } = core;
    const who = new WhoService({ database, tokens: new TokenStore(database, unlimitedSets) });
    const asked = 'container' in target ? target : { tokenId: requireTokenId(target.token) };
    const first = await who.find(tenantId, 'system', { target: asked, afterSession: undefined });
    const sessions = [...first.sessions];
    for (let next = first.nextSession; next !== undefined; ) {
      const part = await who.find(tenantId, 'system', { target: asked, afterSession: next });
      sessions.push(...part.sessions);
      next = part.nextSession;
    }
    return { ...first, sessions, nextSession: undefined };
  } finally {
    await core.close();
  }
}

function requireTokenId(text: string) {
  if (!isTokenId(text)) throw noSuchToken();
  return text;
}
