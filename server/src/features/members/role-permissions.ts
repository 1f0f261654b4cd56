import type { Permission } from '../../core/access/permission.ts';
import type { Role } from './member.ts';

/** Tokens are masked for every member: nothing in the portal shows plaintext. */
const reading: readonly Permission[] = [
  'tenant:read',
  'report:read',
  'application:read',
  'log:read',
  'tenant:member:read',
  'tenant:invitation:read',
  'token:read',
  'token:search',
];

const managing: readonly Permission[] = [
  ...reading,
  'tenant:update',
  'application:create',
  'application:update',
  'application:delete',
  'tenant:member:update',
  'tenant:member:delete',
  'tenant:invitation:create',
  'tenant:invitation:update',
  'tenant:invitation:delete',
  'token:delete',
];

/** What a member may do while signed in. Plain permissions, so that reads are masked. */
export const rolePermissions: Readonly<Record<Role, readonly Permission[]>> = {
  OWNER: managing,
  ADMIN: managing,
  READ_ONLY: reading,
};
