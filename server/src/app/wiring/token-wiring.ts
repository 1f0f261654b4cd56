import type { FastifyInstance } from 'fastify';
import { ApplicationRights } from '../../features/applications/index.ts';
import { EncryptedDataOpener } from '../../features/client-keys/index.ts';
import { addTokenIntentRoutes, TokenIntentService } from '../../features/token-intents/index.ts';
import { addExplainRoutes, ExplainService, WhoService } from '../../features/explain/index.ts';
import type { TenantSettingsDirectory } from '../../features/tenants/index.ts';
import {
  addTokenizeRoutes,
  addTokenListRoutes,
  addTokenRoutes,
  DetokenizeService,
  IntentSealer,
  ReferencedData,
  ReferencedTokens,
  TokenCreator,
  TokenDeduplicator,
  TokenDuplicateStore,
  TokenFinder,
  TokenInsertStore,
  TokenIntents,
  TokenizeService,
  TokenPresenter,
  TokenReadStore,
  TokenRepeater,
  TokenSealer,
  TokenService,
  TokenStore,
  TokenUpdater,
} from '../../features/tokens/index.ts';
import type { LimitsConfig } from '../../platform/config/limits-settings.ts';
import type { CvcSealer } from '../../platform/keyring/sealing/cvc-sealer.ts';
import type { VaultCore } from './vault-core.ts';

/** The token parts that other features use. */
export interface TokenParts {
  readonly tokens: ReferencedTokens;
  /** What the transforms of stored proxies use. */
  readonly transforms: { readonly creator: TokenCreator; readonly detokenizer: DetokenizeService };
  /** Adds the routes that are also available to members. Actions that a role does not permit are rejected as usual. */
  readonly addMemberRoutes: (scope: FastifyInstance) => void;
}

/** Builds everything that handles tokens and adds its routes. */
export function addAllTokenRoutes(
  edge: FastifyInstance,
  parts: {
    core: VaultCore;
    settings: TenantSettingsDirectory;
    cvcSealer: CvcSealer;
    containerSets: LimitsConfig['containerSets'];
  },
): TokenParts {
  const { core, settings, cvcSealer, containerSets } = parts;
  const { database, keyring, audit } = core;
  const { tracer } = database;
  const store = new TokenStore(database, containerSets);
  const sealer = new TokenSealer({ keyring, cvcSealer, tracer });
  const presenter = new TokenPresenter({ keyring, cvcSealer, settings, tracer });
  const intents = new TokenIntents({ database, keyring, cvcSealer });
  const encrypted = new EncryptedDataOpener({ database, keyring });
  const references = new ReferencedData({ encrypted, intents });
  const tokens = new ReferencedTokens({ store, presenter, intents, encrypted });
  const duplicates = new TokenDuplicateStore(database, containerSets);
  const deduplicator = new TokenDeduplicator({ store: duplicates, sealer });
  const creator = new TokenCreator({
    store: new TokenInsertStore(database, containerSets),
    deduplicator,
    sealer,
    presenter,
    settings,
    audit,
    references,
  });

  const repeater = new TokenRepeater({ store, presenter, audit });

  const service = new TokenService({ store, reads: new TokenReadStore(database), presenter, audit });
  const updater = new TokenUpdater({
    store,
    duplicates,
    sealer,
    presenter,
    settings,
    rights: new ApplicationRights(database),
    audit,
  });
  const finder = new TokenFinder({ database, keyring, presenter, settings, audit });
  const explaining = { database, tokens: store, audit };
  const explain = new ExplainService(explaining);
  const who = new WhoService(explaining);
  const addMemberRoutes = (scope: FastifyInstance) => {
    addTokenRoutes(scope, { creator, repeater, tokens: service, updater });
    addExplainRoutes(scope, explain, who);
    addTokenListRoutes(scope, finder);
  };
  addMemberRoutes(edge);
  const intentSealer = new IntentSealer({ keyring, cvcSealer });
  addTokenIntentRoutes(
    edge,
    new TokenIntentService({ database, audit, sealer: intentSealer, references, intents, settings }),
  );
  const detokenizer = new DetokenizeService({ tokens, audit });
  addTokenizeRoutes(edge, { tokenizer: new TokenizeService({ creator, repeater }), detokenizer });
  return { tokens, transforms: { creator, detokenizer }, addMemberRoutes };
}
