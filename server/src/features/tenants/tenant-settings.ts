import type { FingerprintVisibility } from '../../core/sight/fingerprint-visibility.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import type { LifeLimit } from '../../core/expiry/life-limit.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { findIntendedName } from '../../core/text/intended-name.ts';
import { type ChangeFeed, WatchedCache } from '../../platform/database/changes/change-feed.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { TenantType } from './tenant.ts';
import { TenantStore } from './tenant-store.ts';

const tenantsMax = 10_000;

export type StoredSettings = Readonly<Record<string, string>>;

/** The settings of a tenant that apply to all of its tokens and calls. */
export interface TenantSettings {
  readonly fingerprintTokens: boolean;
  readonly deduplicateTokens: boolean;
  readonly disableEphemeralProxy: boolean;
  /** The effect of a deduplicated create on the existing token. */
  readonly deduplicationBehavior: DeduplicationBehavior;
  /** How long a token intent lives. */
  readonly tokenIntentHours: number;
  /** The lowest transform whose views contain fingerprints. */
  readonly fingerprintVisibility: FingerprintVisibility;
  /** The longest that tokens may live, from the retention rules. */
  readonly lifeLimits: readonly LifeLimit[];
}

export type DeduplicationBehavior = 'return_existing' | 'update_existing';

/**
 * The setting that requires approval for changes that widen access to plaintext. The approvals feature reads it itself,
 * in the transaction that makes the change.
 */
export const approvalSetting = 'approve_plaintext';

/** The setting that accepts only members who sign in at the OpenID provider. */
export const providerSetting = 'require_openid';

/**
 * The values that open a way to plaintext. A tenant that requires approvals gets them only after an approval. The
 * visibility of fingerprints is not among them, because it has no effect until approvals are turned off.
 */
const openingValues: ReadonlyMap<string, string> = new Map([
  [approvalSetting, 'false'],
  ['disable_ephemeral_proxy', 'false'],
]);

/** Returns the part of a change that opens a currently closed way to plaintext. */
export function listOpening(before: StoredSettings, change: StoredSettings): StoredSettings {
  const isClosed = (name: string, open: string) => (before[name] ?? open) !== open;
  return Object.fromEntries(
    Object.entries(change).filter(([name, value]) => openingValues.get(name) === value && isClosed(name, value)),
  );
}

/** Returns the current values of the settings that a request would change, as one text. */
export function toBasis(settings: StoredSettings, change: StoredSettings): string {
  return JSON.stringify(
    Object.keys(change)
      .sort()
      .map((name) => [name, settings[name] ?? null]),
  );
}

/** The setting for the life of token intents, in hours. */
const intentHoursSetting = 'token_intent_hours';
const intentHoursMax = 48;
const intentHoursDefault = 24;

/** Settings with a fixed list of values. Without the list, a misspelled value would be accepted and protect nothing. */
const switches = ['true', 'false'] as const;
const knownValues: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['fingerprint_tokens', switches],
  ['deduplicate_tokens', switches],
  ['disable_ephemeral_proxy', switches],
  ['token_deduplication_behavior', ['return_existing', 'update_existing'] satisfies DeduplicationBehavior[]],
  [approvalSetting, switches],
  ['fingerprint_visibility', ['mask', 'reveal'] satisfies FingerprintVisibility[]],
  [intentHoursSetting, Array.from({ length: intentHoursMax }, (_, index) => String(index + 1))],
  // The database reads this setting, in tenants.requires_sign_in_way.
  ['require_sign_in_way', switches],
  // The database reads this setting, in tenants.requires_provider.
  [providerSetting, switches],
]);

export function requireKnownValues(settings: Readonly<Record<string, string>>): void {
  const problems = Object.entries(settings).flatMap(([name, value]) => findProblem(name, value) ?? []);
  if (problems.length === 0) return;
  throw new DomainError('validation-failed', 'The request did not pass validation.', {
    fields: Object.fromEntries(problems.map(({ name, problem }) => [`settings.${name}`, [problem]])),
  });
}

function findProblem(name: string, value: string): { name: string; problem: string } | undefined {
  const values = knownValues.get(name);
  if (values?.includes(value) === true) return undefined;
  if (name === intentHoursSetting) return { name, problem: `must be a whole number from 1 to ${intentHoursMax}` };
  if (values !== undefined) return { name, problem: `must be one of ${values.join(', ')}` };
  // Custom settings may have any other name.
  const intended = findIntendedName(name, knownValues.keys());
  return intended === undefined
    ? undefined
    : { name: intended, problem: 'is misspelled: the request has a setting with a very similar name' };
}

/**
 * Lists the changes, one per line. Custom settings appear without name or value, because they could contain anything.
 */
export function listSettingsChanges(before: StoredSettings, after: StoredSettings): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changed = names.filter((name) => before[name] !== after[name]);
  const known = changed.filter((name) => knownValues.has(name));
  const others = changed.length - known.length;
  return [
    ...known.map((name) => `setting changed: ${name} = ${after[name] ?? 'default'}`),
    ...(others === 0 ? [] : [`other settings changed: ${others}`]),
  ];
}

/** Returns the settings that the vault uses, as one text. */
export function toCanonicalSettings(settings: StoredSettings): string {
  return JSON.stringify(
    Object.fromEntries([...knownValues.keys()].sort().map((name) => [name, settings[name] ?? null])),
  );
}

/** Reads the settings from the database, without a cache. */
export async function readTenantSettings(database: Database, tenantId: TenantId): Promise<TenantSettings> {
  return database.forTenant(tenantId, async (tx) => {
    const store = new TenantStore(tx, tenantId);
    const [tenant, lifeLimits] = await Promise.all([store.find(), store.listLifeLimits()]);
    return toTenantSettings(tenant?.settings ?? {}, lifeLimits);
  });
}

/** Returns undefined if there is no such tenant. */
export async function readTenantType(tx: Transaction, tenantId: TenantId): Promise<TenantType | undefined> {
  return (await new TenantStore(tx, tenantId).find())?.type;
}

/**
 * Returns the settings in force. Fingerprints reveal whether a guess is right, so a tenant that requires approvals for
 * plaintext shows them only with plaintext: otherwise, an application that creates and reads masked tokens would find
 * card numbers without an approval.
 */
export function toTenantSettings(settings: StoredSettings, lifeLimits: readonly LifeLimit[] = []): TenantSettings {
  const { fingerprint_visibility: visibility = 'mask' } = settings;
  return {
    lifeLimits,
    fingerprintTokens: settings['fingerprint_tokens'] !== 'false',
    deduplicateTokens: settings['deduplicate_tokens'] === 'true',
    disableEphemeralProxy: settings['disable_ephemeral_proxy'] === 'true',
    deduplicationBehavior:
      settings['token_deduplication_behavior'] === 'update_existing' ? 'update_existing' : 'return_existing',
    tokenIntentHours: Number(settings[intentHoursSetting] ?? intentHoursDefault),
    // An unknown value stored by an earlier version counts as the stricter one.
    fingerprintVisibility: visibility === 'mask' && !isApprovalDemanded(settings) ? 'mask' : 'reveal',
  };
}

/** Returns true if approvals are required. An unknown value stored by an earlier version counts as the stricter one. */
export function isApprovalDemanded({ [approvalSetting]: value = 'false' }: StoredSettings): boolean {
  return value !== 'false';
}

/** A cache of settings. It is used only while this process would be notified of a change. */
export class TenantSettingsDirectory {
  readonly #known: WatchedCache<TenantId, TenantSettings>;

  constructor({ database, feed }: { database: Database; feed: ChangeFeed }) {
    this.#known = new WatchedCache({
      feed,
      load: (tenantId) => readTenantSettings(database, tenantId),
      entriesMax: tenantsMax,
    });
    feed.onChange((table, id) => {
      if (table === 'tenants' || table === 'retention_rules') this.#known.forget((tenantId) => tenantId === id);
    });
  }

  async get(tenantId: TenantId): Promise<TenantSettings> {
    const settings = await this.#known.get(tenantId);
    if (settings === undefined) throw new Error('Every tenant has settings.');
    return settings;
  }
}
