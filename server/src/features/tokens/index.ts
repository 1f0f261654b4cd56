export { addTokenRoutes } from './token-routes.ts';
export { TokenService } from './token-service.ts';
export { TokenStore } from './token-store.ts';
