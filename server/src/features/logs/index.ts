export { addLogRoutes } from './log-routes.ts';
export { LogService } from './log-service.ts';
