export { type Member, memberEvent, noSuchMember, type Role, roleEvent } from './member.ts';
export { addMemberRoutes } from './member-routes.ts';
export { MemberView, toMemberView } from './member-schemas.ts';
export { MemberService } from './member-service.ts';
export { MemberStore } from './member-store.ts';
