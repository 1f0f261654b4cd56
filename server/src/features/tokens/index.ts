export type { StoredToken } from './model/token.ts';
export { isTokenId } from './model/token-id.ts';
export { unlimitedSets } from './model/container-set-sql.ts';
export {
  addTokenizeRoutes,
  compileDocument,
  compileText,
  DetokenizeService,
  type JudgedToken,
  ReferencedTokens,
  type ReferenceTemplate,
  TokenizeService,
} from './tokenize/index.ts';
export {
  sealedTokens,
  sumTokenCounts,
  sweepTokensJobs,
  TokenOpeningCheck,
  type TokenOpeningReport,
} from './upkeep/index.ts';
export {
  insertFreeIn,
  type InsertRow,
  type IntakeSettings,
  TokenCreator,
  TokenDeduplicator,
  TokenDuplicateStore,
  TokenInsertStore,
  TokenIntake,
  TokenRepeater,
  TokenUpdater,
} from './write/index.ts';
export { tokenEvent } from './model/token-event.ts';
export { toExportLine } from './model/token-json.ts';
export { addTokenListRoutes, listSharedContainers, TokenFinder } from './query/index.ts';
export { countSlot } from './model/count-slot.ts';
export { getToken, noSuchToken, type TokenOpener, TokenPresenter, TokenReadStore, TokenService } from './read/index.ts';
export { addTokenRoutes } from './token-routes.ts';
export { TokenSealer } from './model/token-sealer.ts';
export { TokenStore } from './model/token-store.ts';
