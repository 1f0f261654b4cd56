import { type Permission, permissionCatalog, permissionsOf } from '../../src/core/access/permission.ts';
import { createApplication } from './test-application.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** The ways in which an application can have or lack a permission. */
export const variants = ['granted', 'missing', 'other container', 'other transform'] as const;
export type Variant = (typeof variants)[number];

/** The permission that a route needs, and how it treats a grant for another container. */
export interface MatrixRoute {
  readonly method: string;
  /** The path in OpenAPI notation. */
  readonly path: string;
  readonly needs: Permission | 'any-key' | 'session-key';
  /** A second permission that is required in addition. */
  readonly alsoNeeds?: Permission;
  readonly status: number;
  /**
   * With a grant for another container, `token`, `use` and `create` are refused and `list` is empty.
   * `hidden` is refused like `token`, but its response never has data. `plain` has no containers.
   */
  readonly scope: 'token' | 'use' | 'create' | 'list' | 'hidden' | 'plain';
  /**
   * Returns the path with its ids filled in, and the body. It is called for every request, so it can create an object
   * that the request destroys.
   */
  readonly prepare: (
    tenant: TestTenant,
  ) => Promise<{ readonly path: string; readonly body?: unknown; readonly headers?: Record<string, string> }>;
}

export interface MatrixKey {
  readonly permission: Permission;
  readonly variant: Variant;
  readonly key: string;
}

/** Creates a key for every permission in every variant, on an application of the type that can hold it. */
export function makeMatrixKeys(vault: TestVault, tenant: TestTenant): Promise<MatrixKey[]> {
  const wanted = permissionCatalog.flatMap(({ type }) => variants.map((variant) => ({ permission: type, variant })));
  return Promise.all(
    wanted.map(async ({ permission, variant }) => ({
      permission,
      variant,
      key: await makeKey(vault, tenant, permission, variant),
    })),
  );
}

export async function makeKey(
  vault: TestVault,
  tenant: TestTenant,
  permission: Permission,
  variant: Variant,
): Promise<string> {
  const type = permissionsOf('private').includes(permission) ? 'private' : 'management';
  const rule = { priority: 1, permissions: [permission] };
  const settings = {
    granted: { permissions: [permission] },
    missing: { permissions: permissionsOf(type).filter((other) => other !== permission) },
    'other container': { permissions: [], rules: [{ ...rule, container: '/elsewhere/', transform: 'reveal' }] },
    'other transform': { permissions: [], rules: [{ ...rule, container: '/', transform: 'reveal' }] },
  }[variant];
  const { id, key } = await createApplication(vault, tenant, { type, ...settings });
  if (variant === 'other transform') await redactRules(vault, id);
  return key;
}

/**
 * Changes the rules to redact, as an older version could have stored them. The API no longer accepts a rule that
 * redacts and grants `token:use`.
 */
async function redactRules(vault: TestVault, applicationId: string): Promise<void> {
  await vault.database.owner.query(
    `update applications set rules = replace(rules::text, '"reveal"', '"redact"')::jsonb where id = $1`,
    [applicationId],
  );
}

export type Expected = 'allowed' | 'forbidden' | 'empty' | 'redacted';

/**
 * Returns the expected result: a caller with the permission that the route needs is allowed,
 * everybody else is forbidden.
 */
export function expectedFor(
  route: MatrixRoute,
  { permission, variant }: Pick<MatrixKey, 'permission' | 'variant'>,
): Expected {
  if (route.needs === 'any-key') return 'allowed';
  if (route.needs === 'session-key') return 'forbidden';
  const isSameType = permissionsOf('private').includes(permission) === permissionsOf('private').includes(route.needs);
  if (route.alsoNeeds === permission && variant === 'missing') return 'forbidden';
  if (route.alsoNeeds !== undefined && variant !== 'missing') return 'forbidden';
  if (variant === 'missing') return isSameType && permission !== route.needs ? 'allowed' : 'forbidden';
  if (permission !== route.needs) return 'forbidden';
  if (variant === 'granted' || route.scope === 'plain') return 'allowed';
  if (variant === 'other transform' && route.scope === 'hidden') return 'allowed';
  if (variant === 'other transform') return route.scope === 'use' ? 'forbidden' : 'redacted';
  return route.scope === 'list' ? 'empty' : 'forbidden';
}
