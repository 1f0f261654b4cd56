export { InvitationLinks } from './invitation-link.ts';
export { addInvitationRoutes } from './invitation-routes.ts';
export { InvitationService } from './invitation-service.ts';
export { mailInvitationJob } from './mail-invitation-job.ts';
