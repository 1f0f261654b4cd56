import type { FastifyInstance } from 'fastify';
import { addExplainRoutes, ExplainService } from '../features/access/index.ts';
import type { TenantSettingsDirectory } from '../features/tenants/index.ts';
import {
  addTokenizeRoutes,
  addTokenListRoutes,
  addTokenRoutes,
  DetokenizeService,
  ReferencedTokens,
  TokenCreator,
  TokenFinder,
  TokenInsertStore,
  TokenizeService,
  TokenPresenter,
  TokenSealer,
  TokenService,
  TokenStore,
  TokenUpdater,
} from '../features/tokens/index.ts';
import type { CvcSealer } from '../platform/keyring/cvc-sealer.ts';
import type { VaultCore } from './vault-core.ts';

/** Builds everything that handles tokens and adds its routes; gives back what others reach tokens through. */
export function addAllTokenRoutes(
  edge: FastifyInstance,
  parts: { core: VaultCore; settings: TenantSettingsDirectory; cvcSealer: CvcSealer },
): ReferencedTokens {
  const { core, settings, cvcSealer } = parts;
  const { database, keyring, audit } = core;
  const store = new TokenStore(database);
  const inserts = new TokenInsertStore(database);
  const sealer = new TokenSealer({ keyring, cvcSealer });
  const presenter = new TokenPresenter({ keyring, cvcSealer });
  const tokens = new ReferencedTokens({ store, presenter });
  const creator = new TokenCreator({ store: inserts, sealer, presenter, settings, audit });

  addTokenRoutes(edge, {
    creator,
    tokens: new TokenService({ store, presenter, audit }),
    updater: new TokenUpdater({ store, inserts, sealer, presenter, settings }),
  });
  addExplainRoutes(edge, new ExplainService({ database, tokens: store, audit }));
  addTokenListRoutes(edge, new TokenFinder({ database, keyring, presenter, audit }));
  addTokenizeRoutes(edge, {
    tokenizer: new TokenizeService(creator),
    detokenizer: new DetokenizeService({ tokens, audit }),
  });
  return tokens;
}
