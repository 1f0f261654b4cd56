export { addExplainRoutes } from './explain-routes.ts';
export { ExplainService } from './explain-service.ts';
export { type Onlookers, WhoService } from './who-service.ts';
export { toWhoView } from './who-schemas.ts';
