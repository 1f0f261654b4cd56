export { addSessionListRoutes } from './listed-session-routes.ts';
export { addSessionRoutes } from './session-routes.ts';
export { SessionRegister } from './session-register.ts';
export { SessionService } from './session-service.ts';
export { sweepSessionsJob } from './sweep-sessions-job.ts';
export { listLiveSessions, type LiveSession } from './live-session-store.ts';
