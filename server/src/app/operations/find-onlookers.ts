import type { TenantId } from '../../core/identity/ids.ts';
import { type Onlookers, WhoService } from '../../features/explain/index.ts';
import { isTokenId, noSuchToken, TokenStore, unlimitedSets } from '../../features/tokens/index.ts';
import type { VaultConfig } from '../../platform/config/config.ts';
import { VaultCore } from '../wiring/vault-core.ts';

/** Returns everybody who can see a token, or any token in a container, from all pages. */
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
    const parts: Onlookers[] = [];
    do {
      parts.push(await who.find(tenantId, 'system', { target: asked, after: parts.at(-1)?.next }));
    } while (parts.at(-1)?.next !== undefined);
    return {
      applications: parts.flatMap(({ applications }) => applications),
      members: parts.flatMap(({ members }) => members),
      invitations: parts.flatMap(({ invitations }) => invitations),
      sessions: parts.flatMap(({ sessions }) => sessions),
      next: undefined,
    };
  } finally {
    await core.close();
  }
}

function requireTokenId(text: string) {
  if (!isTokenId(text)) throw noSuchToken();
  return text;
}
