import { type Permission, permissionCatalog, permissionsOf } from '../../src/core/access/permission.ts';
import { createApplication } from './test-application.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** How a permission reaches an application. */
export const variants = ['granted', 'missing', 'other container', 'other transform'] as const;
export type Variant = (typeof variants)[number];

/** What a route asks for, and how it treats a grant that lies elsewhere. */
export interface MatrixRoute {
  readonly method: string;
  /** As OpenAPI writes it. */
  readonly path: string;
  readonly needs: Permission | 'any-key' | 'session-key';
  /** A second permission, without which the first is not enough. */
  readonly alsoNeeds?: Permission;
  readonly status: number;
  /** `token`, `use` and `create` are refused elsewhere, `list` is empty there, `plain` knows no containers. */
  readonly scope: 'token' | 'use' | 'create' | 'list' | 'plain';
  /** The path with its ids filled in, and the body. Called for every request, so it may make what the request destroys. */
  readonly prepare: (
    tenant: TestTenant,
  ) => Promise<{ readonly path: string; readonly body?: unknown; readonly headers?: Record<string, string> }>;
}

export interface MatrixKey {
  readonly permission: Permission;
  readonly variant: Variant;
  readonly key: string;
}

/** Every permission in every variant, as the key of an application of the type that can hold it. */
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

/** As an older version could have stored them: one that redacts what it lets others use can no longer be written. */
async function redactRules(vault: TestVault, applicationId: string): Promise<void> {
  await vault.database.owner.query(
    `update applications set rules = replace(rules::text, '"reveal"', '"redact"')::jsonb where id = $1`,
    [applicationId],
  );
}

export type Expected = 'allowed' | 'forbidden' | 'empty' | 'redacted';

/** The table, in words: who holds what the route needs is allowed, everybody else is forbidden. */
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
  if (variant === 'other transform') return route.scope === 'use' ? 'forbidden' : 'redacted';
  return route.scope === 'list' ? 'empty' : 'forbidden';
}
