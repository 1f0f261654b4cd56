export { TokenFinder } from './token-finder.ts';
export { addTokenListRoutes } from './token-list-routes.ts';
