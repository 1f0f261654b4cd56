export { type InvitationDetails, invitationEvent, isAgreed } from './invitation.ts';
export { InvitationApproval } from './invitation-approval.ts';
export { InvitationLinks } from './invitation-link.ts';
export { addInvitationRoutes } from './invitation-routes.ts';
export { InvitationService } from './invitation-service.ts';
export { InvitationStore } from './invitation-store.ts';
export { mayStillInvite } from './inviter.ts';
export { mailInvitationJob } from './mail-invitation-job.ts';
export { sweepInvitationsJob } from './sweep-invitations-job.ts';
