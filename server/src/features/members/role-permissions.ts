import type { Grants } from '../../core/access/access-rule.ts';
import { toRules } from '../../core/access/decide-access.ts';
import { type Permission, permissionCatalog } from '../../core/access/permission.ts';
import type { Role } from './member.ts';

/** Permissions to read. Tokens are masked for every member, because nothing in the portal shows plaintext. */
const reading: readonly Permission[] = [
  'tenant:read',
  'report:read',
  'application:read',
  'session:read',
  'keys:read',
  'log:read',
  'proxy:read',
  'webhook:read',
  'retention:read',
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
  'keys:create',
  'keys:delete',
  'tenant:member:update',
  'tenant:member:delete',
  'tenant:invitation:create',
  'tenant:invitation:update',
  'tenant:invitation:delete',
  'token:delete',
  'proxy:create',
  'proxy:update',
  'proxy:delete',
  'webhook:create',
  'webhook:update',
  'webhook:delete',
  'retention:update',
];

/** The permissions of a member while signed in. They are permissions without rules, so that reads are masked. */
export const rolePermissions: Readonly<Record<Role, readonly Permission[]>> = {
  OWNER: [...managing, 'tenant:delete'],
  ADMIN: managing,
  READ_ONLY: reading,
};

/**
 * Token permissions are for applications. Nobody uses them in the portal, but people who manage applications grant
 * them.
 */
const onTokens = permissionCatalog.map(({ type }) => type).filter((type) => type.startsWith('token'));

/**
 * The permissions that a member may grant to an application: those of the role, and those that only applications use.
 */
export const grantablePermissions: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  OWNER: new Set([...rolePermissions.OWNER, ...onTokens]),
  ADMIN: new Set([...rolePermissions.ADMIN, ...onTokens]),
  READ_ONLY: new Set(),
};

/** The operator has the rights of an owner in every tenant. */
export const operatorGrants: Grants = { rules: toRules(rolePermissions.OWNER, []) };
