export { sweepTokensJobs } from './sweep-tokens-jobs.ts';
export { sumTokenCounts } from './token-count-store.ts';
export { TokenOpeningCheck, type TokenOpeningReport } from './token-opening-check.ts';
export { sealedTokens } from './sealed-tokens-sql.ts';
