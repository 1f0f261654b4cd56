export { sweepTokenIntentsJobs } from './sweep-token-intents-jobs.ts';
export { addTokenIntentRoutes } from './token-intent-routes.ts';
export { TokenIntentService } from './token-intent-service.ts';
