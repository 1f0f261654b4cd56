export type { StoredToken } from './model/token.ts';
export type { ReferringRequest, TokenRequest } from './model/token-request.ts';
export { BankView, CardView, CreateToken, toIntentRequest, toTokenRequest } from './model/token-schemas.ts';
export { isHeld, isHoldInForce } from './model/legal-hold-sql.ts';
export { removeWithGone } from './model/token-removal-sql.ts';
export { isTokenId } from './model/token-id.ts';
export { unlimitedSets } from './model/container-set-sql.ts';
export {
  addTokenizeRoutes,
  compileDocument,
  compileText,
  DetokenizeService,
  type EncryptedPart,
  type JudgedReferences,
  readEvents,
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
  IntentSealer,
  type InsertRow,
  type IntakeSettings,
  ReferencedData,
  TokenCreator,
  TokenDeduplicator,
  TokenDuplicateStore,
  TokenInsertStore,
  TokenIntake,
  TokenRepeater,
  TokenSealer,
  TokenUpdater,
} from './write/index.ts';
export {
  forgetExpiredCodes,
  intentContainers,
  intentEvent,
  sealedTokenIntents,
  type StoredIntent,
  takeExpiredIntents,
  TokenIntents,
  TokenIntentStore,
} from './intents/index.ts';
export { tokenEvent } from './model/token-event.ts';
export { toExportLine, toTokenJson } from './model/token-json.ts';
export { addTokenListRoutes, listSharedContainers, matchingTokens, termsOf, TokenFinder } from './query/index.ts';
export { countSlot } from './model/token-shelf.ts';
export { getToken, noSuchToken, type TokenOpener, TokenPresenter, TokenReadStore, TokenService } from './read/index.ts';
export { addTokenRoutes } from './token-routes.ts';
export { TokenStore } from './model/token-store.ts';
