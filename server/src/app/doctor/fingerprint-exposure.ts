import { canGuessMasked } from '../../core/access/guessing.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { ApplicationStore } from '../../features/applications/index.ts';
import { readTenantSettings } from '../../features/tenants/index.ts';
import type { Database } from '../../platform/database/database.ts';
import { listTenantIds } from '../../platform/database/ground/database-inspection.ts';

/** A tenant whose applications can find masked values by comparing fingerprints. */
export interface FingerprintExposure {
  readonly tenantId: TenantId;
  /** The ids of the applications. Names are chosen by callers and may contain anything. */
  readonly applicationIds: readonly string[];
}

const applicationsPerRead = 1_000;

export async function findFingerprintExposures(database: Database): Promise<FingerprintExposure[]> {
  const exposures: FingerprintExposure[] = [];
  for (const tenantId of await listTenantIds(database)) {
    const { fingerprintVisibility } = await readTenantSettings(database, tenantId);
    if (fingerprintVisibility === 'reveal') continue;
    const applicationIds: string[] = [];
    for (let after: string | undefined, isMore = true; isMore; ) {
      const page = { type: 'private', after, limit: applicationsPerRead } as const;
      const read = await database.forTenant(tenantId, (tx) => new ApplicationStore(tx, tenantId).listUsable(page));
      applicationIds.push(...read.filter(canGuessMasked).map(({ id }) => id));
      after = read.at(-1)?.id;
      isMore = read.length === applicationsPerRead;
    }
    if (applicationIds.length > 0) exposures.push({ tenantId, applicationIds });
  }
  return exposures;
}

/** Returns the finding of `doctor`, with the remedy. */
export function describeExposures(exposures: readonly FingerprintExposure[]): string {
  if (exposures.length === 0)
    return 'no application can compare the fingerprints of its own tokens with those of masked tokens';
  const found = exposures.map(
    ({ tenantId, applicationIds }) => `in tenant ${tenantId} application ${shorten(applicationIds)}`,
  );
  return `${shorten(found)} can write tokens and see the fingerprints of masked tokens, which is enough to guess masked values. Set fingerprint_visibility to "reveal" (PUT /tenants/self), or use separate applications for writing and reading.`;
}

const namedMax = 5;

function shorten(items: readonly string[]): string {
  const more = items.length - namedMax;
  return more > 0 ? `${items.slice(0, namedMax).join(', ')} and ${more} more` : items.join(', ');
}
