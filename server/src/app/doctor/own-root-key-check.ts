import type { TenantId } from '../../core/identity/ids.ts';
import { reasonOf } from '../../core/errors/operator-error.ts';
import type { Database } from '../../platform/database/database.ts';
import { troubleOf } from '../../platform/keyring/keys/own-key-trouble.ts';
import { tenantKeyPages, type WrappedTenantKey } from '../../platform/keyring/keys/tenant-key-store.ts';
import { unwrapKey } from '../../platform/keyring/keys/tenant-key-wrapping.ts';
import { ownKeyNameOf } from '../../platform/keyring/kms/own-root-key.ts';
import type { OwnRootKeys } from '../../platform/keyring/kms/own-root-keys.ts';
import { withinTime } from '../../platform/waiting/within-time.ts';

const pageSize = 500;
const unwrapTimeoutMs = 5_000;

/** An own root key that cannot be used, with the tenants whose keys it wraps. */
export interface OwnKeyFailure {
  readonly rootKey: string;
  readonly tenants: Set<TenantId>;
  readonly reason: string;
}

export interface OwnKeyReport {
  /** The number of keys that were unwrapped. */
  readonly opened: number;
  /** The root keys that unwrapped them. */
  readonly working: readonly string[];
  readonly failures: readonly OwnKeyFailure[];
}

/**
 * Unwraps every key under an own root key of a tenant. A root key that fails is not asked again, so that one that does
 * not respond takes a few seconds. A key that was not unwrapped is a failure of its root key as well: a damaged row looks
 * the same as a service that returns something else, and one tenant must not stop the check of the others.
 */
export async function checkOwnRootKeys(database: Database, own: OwnRootKeys): Promise<OwnKeyReport> {
  const failures = new Map<string, OwnKeyFailure>();
  const working = new Set<string>();
  let opened = 0;
  for await (const page of tenantKeyPages(database, pageSize)) {
    for (const key of page.filter(({ rootKey }) => ownKeyNameOf(rootKey) !== undefined)) {
      const known = failures.get(key.rootKey);
      const reason = known?.reason ?? (await findFailure(own, key));
      if (reason !== undefined) failures.set(key.rootKey, failureOf(known, key, reason));
      else {
        opened += 1;
        working.add(key.rootKey);
      }
    }
  }
  return { opened, working: [...working], failures: [...failures.values()] };
}

/** Returns one finding for each own root key that fails, or one that all work. None if no tenant has its own. */
export function describeOwnRootKeys({ opened, failures }: OwnKeyReport, name: string) {
  if (failures.length === 0) {
    return opened === 0
      ? []
      : [{ name, isOk: true, detail: `${opened} keys of tenants are unwrapped by their owners' root keys` }];
  }
  return failures.map(({ rootKey, tenants, reason }) => ({
    name,
    isOk: true,
    isWarning: true,
    detail: `${rootKey} cannot be used, so values of ${tenants.size} tenants, such as ${[...tenants][0] ?? ''}, cannot be read: ${reason}`,
  }));
}

function failureOf(known: OwnKeyFailure | undefined, key: WrappedTenantKey, reason: string): OwnKeyFailure {
  const failure = known ?? { rootKey: key.rootKey, tenants: new Set<TenantId>(), reason };
  failure.tenants.add(key.tenantId);
  return failure;
}

async function findFailure(own: OwnRootKeys, key: WrappedTenantKey): Promise<string | undefined> {
  try {
    await withinTime(unwrapKey(own, key), unwrapTimeoutMs, 'The key service did not respond in time.');
    return undefined;
  } catch (error) {
    return troubleOf(error) === 'mismatch' ? describeMismatch(key) : reasonOf(error);
  }
}

function describeMismatch({ purpose, version, tenantId }: WrappedTenantKey): string {
  return (
    `It does not unwrap the ${purpose} key version ${version} of tenant ${tenantId}. Either its service returns something ` +
    'else than it wrapped, or the row in tenant_keys is damaged.'
  );
}
