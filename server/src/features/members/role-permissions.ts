import { type Permission, permissionCatalog } from '../../core/access/permission.ts';
import type { Role } from './member.ts';

/** Tokens are masked for every member: nothing in the portal shows plaintext. */
const reading: readonly Permission[] = [
  'tenant:read',
  'report:read',
  'application:read',
  'session:read',
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
  'session:delete',
  'tenant:member:update',
  'tenant:member:delete',
  'tenant:invitation:create',
  'tenant:invitation:update',
  'tenant:invitation:delete',
  'token:delete',
];

/** What a member may do while signed in. Plain permissions, so that reads are masked. */
export const rolePermissions: Readonly<Record<Role, readonly Permission[]>> = {
  OWNER: [...managing, 'tenant:delete'],
  ADMIN: managing,
  READ_ONLY: reading,
};

/** Permissions on tokens are for applications: nobody uses them in the portal, and who manages applications grants them. */
const onTokens = permissionCatalog.map(({ type }) => type).filter((type) => type.startsWith('token:'));

/** What a member may give to an application: what the role has, and what only applications use. */
export const grantablePermissions: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  OWNER: new Set([...rolePermissions.OWNER, ...onTokens]),
  ADMIN: new Set([...rolePermissions.ADMIN, ...onTokens]),
  READ_ONLY: new Set(),
};
