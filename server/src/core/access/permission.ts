export const applicationTypes = ['private', 'public', 'management'] as const;
export type ApplicationType = (typeof applicationTypes)[number];

/** Every permission, what it allows, and the types of application that may hold it. */
export const permissionCatalog = [
  { type: 'token:create', description: 'Create tokens', applicationTypes: ['private', 'public'] },
  { type: 'token:read', description: 'Read tokens', applicationTypes: ['private'] },
  {
    type: 'token:update',
    description:
      'Update tokens. Granted to a private application without a rule, it amounts to reading plaintext, because the application can set masks',
    applicationTypes: ['private', 'public'],
  },
  { type: 'token:delete', description: 'Delete tokens', applicationTypes: ['private'] },
  { type: 'token:search', description: 'Search tokens', applicationTypes: ['private'] },
  { type: 'token:use', description: 'Use the plaintext of tokens in outbound calls', applicationTypes: ['private'] },
  { type: 'token-intent:create', description: 'Create token intents', applicationTypes: ['private', 'public'] },
  {
    type: 'token-intent:read',
    description: 'Read token intents, which never shows data',
    applicationTypes: ['private'],
  },
  { type: 'token-intent:delete', description: 'Delete token intents', applicationTypes: ['private'] },
  { type: 'tenant:read', description: 'Read the tenant', applicationTypes: ['management'] },
  { type: 'tenant:update', description: 'Update the tenant', applicationTypes: ['management'] },
  { type: 'tenant:delete', description: 'Delete the tenant', applicationTypes: ['management'] },
  { type: 'tenant:member:read', description: 'Read members of the tenant', applicationTypes: ['management'] },
  { type: 'tenant:member:update', description: 'Update members of the tenant', applicationTypes: ['management'] },
  { type: 'tenant:member:delete', description: 'Delete members of the tenant', applicationTypes: ['management'] },
  { type: 'tenant:invitation:create', description: 'Invite members', applicationTypes: ['management'] },
  { type: 'tenant:invitation:read', description: 'Read invitations', applicationTypes: ['management'] },
  { type: 'tenant:invitation:update', description: 'Resend invitations', applicationTypes: ['management'] },
  { type: 'tenant:invitation:delete', description: 'Delete invitations', applicationTypes: ['management'] },
  { type: 'application:create', description: 'Create applications and keys', applicationTypes: ['management'] },
  { type: 'application:read', description: 'Read applications', applicationTypes: ['management'] },
  { type: 'application:update', description: 'Update applications', applicationTypes: ['management'] },
  { type: 'application:delete', description: 'Delete applications and keys', applicationTypes: ['management'] },
  { type: 'session:read', description: 'Read sessions', applicationTypes: ['management'] },
  { type: 'session:delete', description: 'End sessions', applicationTypes: ['management'] },
  {
    type: 'keys:create',
    description: 'Create keys with which clients encrypt data',
    applicationTypes: ['management'],
  },
  { type: 'keys:read', description: 'Read the public halves of client keys', applicationTypes: ['management'] },
  { type: 'keys:delete', description: 'Delete client keys', applicationTypes: ['management'] },
  {
    type: 'webhook:create',
    description: 'Create webhooks, which needs log:read as well, because events say what the log says',
    applicationTypes: ['management'],
  },
  { type: 'webhook:read', description: 'Read webhooks and their deliveries', applicationTypes: ['management'] },
  {
    type: 'webhook:update',
    description: 'Change webhooks and send events again, which needs log:read as well',
    applicationTypes: ['management'],
  },
  { type: 'webhook:delete', description: 'Delete webhooks', applicationTypes: ['management'] },
  {
    type: 'proxy:create',
    description:
      'Create stored proxies. Calls through them send plaintext to their destination, with the rights of their application',
    applicationTypes: ['management'],
  },
  {
    type: 'proxy:read',
    description: 'Read stored proxies. Their keys are for those who may create or change them',
    applicationTypes: ['management'],
  },
  {
    type: 'proxy:update',
    description: 'Change stored proxies, including the destination to which their callers send plaintext',
    applicationTypes: ['management'],
  },
  { type: 'proxy:delete', description: 'Delete stored proxies', applicationTypes: ['management'] },
  {
    type: 'retention:read',
    description: 'Read retention rules and legal holds',
    applicationTypes: ['management'],
  },
  {
    type: 'retention:update',
    description: 'Change retention rules, which delete tokens, and set and lift legal holds',
    applicationTypes: ['management'],
  },
  { type: 'log:read', description: 'Read the audit log', applicationTypes: ['management'] },
  { type: 'report:read', description: 'Read usage reports', applicationTypes: ['management'] },
] as const satisfies readonly {
  readonly type: string;
  readonly description: string;
  readonly applicationTypes: readonly ApplicationType[];
}[];

export type Permission = (typeof permissionCatalog)[number]['type'];

export function permissionsOf(applicationType: ApplicationType): Permission[] {
  return permissionCatalog
    .filter((permission) => (permission.applicationTypes as readonly ApplicationType[]).includes(applicationType))
    .map(({ type }) => type);
}

/** Other names that clients use for our permissions. */
const aliases: ReadonlyMap<string, Permission> = new Map([
  ['proxy:invoke', 'token:use'],
  ['webhooks:create', 'webhook:create'],
  ['webhooks:read', 'webhook:read'],
  ['webhooks:update', 'webhook:update'],
  ['webhooks:delete', 'webhook:delete'],
]);
const permissions: ReadonlyMap<string, Permission> = new Map([
  ...permissionCatalog.map(({ type }) => [type, type] as const),
  ...aliases,
]);

/** Returns the permission with this name; undefined if there is none. */
export function findPermission(name: string): Permission | undefined {
  return permissions.get(name);
}
