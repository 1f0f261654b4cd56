export { sealedTokenIntents } from './sealed-token-intents-sql.ts';
export { intentBinding, intentContainers, intentEvent, type SealedIntent, type StoredIntent } from './token-intent.ts';
export { forgetExpiredCodes, takeExpiredIntents, TokenIntentStore } from './token-intent-store.ts';
export { type Conversion, convertIntents, noSuchIntentAt, TokenIntents } from './token-intents.ts';
