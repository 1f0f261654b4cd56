export { type Member, memberEvent, noSuchMember, type Role, roleEvent } from './member.ts';
export { ownerView } from './member-example-views.ts';
export { addMemberRoutes } from './member-routes.ts';
export { MemberView, toMemberView } from './member-schemas.ts';
export { MemberService } from './member-service.ts';
export { rolePermissions } from './role-permissions.ts';
export { MemberStore } from './member-store.ts';
