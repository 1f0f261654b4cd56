export { addExplainRoutes } from './explain-routes.ts';
export { ExplainService } from './explain-service.ts';
