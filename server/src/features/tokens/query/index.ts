export { TokenFinder } from './token-finder.ts';
export { listSharedContainers } from './shared-container-store.ts';
export { addTokenListRoutes } from './token-list-routes.ts';
export { termsOf } from './token-lookup.ts';
export { matchingTokens } from './matching-tokens-sql.ts';
