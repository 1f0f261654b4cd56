import type { OwnKeyUse } from '../../app/operations/own-key-uses.ts';
import type { ReencryptionReport, RetirementReport } from '../../features/keys/index.ts';
import type { RootKeys } from '../../platform/keyring/kms/root-keys.ts';
import type { TenantKeyInfo } from '../../platform/keyring/keys/tenant-key-store.ts';

export interface TenantKeys {
  readonly keys: readonly TenantKeyInfo[];
  /** The number of rows per version of the data key, if they were counted. */
  readonly rows: ReadonlyMap<number, number> | undefined;
}

interface ListedKeys {
  readonly rootKeys: RootKeys;
  readonly ownKeys: readonly OwnKeyUse[];
  readonly tenants: readonly TenantKeys[];
}

export function toKeysJson({ rootKeys, ownKeys, tenants }: ListedKeys) {
  return {
    root_keys: rootKeys.ids.map((id) => ({ id, wraps: id === rootKeys.primary.id })),
    own_root_keys: ownKeys.map(({ name, isConfigured, users }) => ({
      name,
      configured: isConfigured,
      tenants: users,
    })),
    keys: tenants.flatMap(({ keys, rows }) =>
      keys.map((key) => ({
        tenant_id: key.tenantId,
        purpose: key.purpose,
        version: key.version,
        root_key: key.rootKey,
        created_at: key.createdAt.toISOString(),
        closed_at: key.closedAt?.toISOString() ?? null,
        ...(rows === undefined || key.purpose !== 'data' ? {} : { rows: rows.get(key.version) ?? 0 }),
      })),
    ),
  };
}

export function describeKeys({ rootKeys, ownKeys, tenants }: ListedKeys): string {
  const roots = rootKeys.ids.map((id) => `  ${id}${id === rootKeys.primary.id ? '  wraps' : '  only unwraps'}`);
  const blocks = tenants.map(({ keys, rows }) => {
    const lines = keys.map((key) => {
      const state = key.closedAt === null ? 'open  ' : 'closed';
      const count = rows === undefined || key.purpose !== 'data' ? '' : `  ${rows.get(key.version) ?? 0} rows`;
      const name = `${key.purpose} ${key.version}`.padEnd(15);
      return `  ${name} ${state}  ${key.createdAt.toISOString()}  ${key.rootKey}${count}`;
    });
    return [`Tenant ${keys[0]?.tenantId ?? 'unknown'}`, ...lines].join('\n');
  });
  const own = ownKeys.map(({ name, isConfigured, users }) => {
    const use = isConfigured ? `wraps the keys of ${users.length} of these tenants` : 'NOT CONFIGURED HERE';
    return `  ${name}  ${use}`;
  });
  const ownBlock = own.length === 0 ? [] : ['Root keys of tenants', ...own];
  return ['Root keys', ...roots, ...ownBlock, ...blocks].join('\n');
}

export function describeReencryption(tenantId: string, report: ReencryptionReport): string {
  const { targetVersion, read, changed, unreadable } = report;
  const done = `Tenant ${tenantId}: ${read} rows read, ${changed} re-encrypted with data key ${targetVersion}.`;
  if (unreadable.length === 0) return `${done} In a minute you can retire the older keys: strongroom keys retire.`;
  return `${done}\nSome rows cannot be decrypted with any key and were left unchanged:\n  ${unreadable.join('\n  ')}\nBefore you can retire older keys, restore these rows from a backup or delete them.`;
}

export function describeRetirement(tenantId: string, { retired, inUse }: RetirementReport): string {
  if (inUse.size > 0) {
    const uses = [...inUse].map(([version, rows]) => `${rows} rows encrypted with data key ${version}`).join(', ');
    return `Tenant ${tenantId}: ${uses}. Keys in use are kept: run strongroom keys reencrypt first.`;
  }
  if (retired.length === 0) return `Tenant ${tenantId}: no key is closed, so there is nothing to retire.`;
  return `Tenant ${tenantId}: data key ${retired.join(', ')} was destroyed.`;
}
