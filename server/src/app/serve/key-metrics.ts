import { CredentialStore } from '../../features/applications/index.ts';
import type { RootKeysConfig } from '../../platform/keyring/kms/open-root-key.ts';
import { findFirstExpiry } from '../../platform/keyring/certificates/certificate-expiry.ts';
import { findKeyAges } from '../../platform/keyring/keys/key-age-store.ts';
import type { Database } from '../../platform/database/database.ts';
import type { OutboundConfig } from '../../platform/outbound/outbound-config.ts';
import type { Metrics, Readings } from '../../platform/telemetry/metrics.ts';
import { withinTime } from '../../platform/waiting/within-time.ts';

/** The ages are read this rarely because the database has to read every key, and only ages of months matter. */
const readEveryMs = 5 * 60_000;
/** The timeout keeps a scrape from waiting for a database that does not respond. */
const readTimeoutMs = 1_000;

export function addKeyAgeMetrics(metrics: Metrics, database: Database): void {
  let known: { readonly at: number; readonly ages: Readings } | undefined;
  metrics.addGauges(
    'strongroom_key_age_seconds',
    'Age of the oldest key in use of its kind: root, data or api.',
    'key',
    async () => {
      if (known === undefined || performance.now() - known.at > readEveryMs) {
        const ages = await withinTime(readAges(database), readTimeoutMs, 'The database did not respond in time.');
        known = { at: performance.now(), ages };
      }
      const sinceSeconds = (performance.now() - known.at) / 1_000;
      return new Map([...known.ages].map(([key, seconds]) => [key, seconds + sinceSeconds]));
    },
  );
}

/**
 * Adds the expiry of certificates in the settings of a server. The certificates of a proxy in front of the server are
 * not known here.
 */
export function addCertificateMetrics(
  metrics: Metrics,
  { outbound, rootKeys }: { readonly outbound: OutboundConfig; readonly rootKeys: RootKeysConfig },
): void {
  const texts: readonly (readonly [use: string, texts: readonly (string | undefined)[]])[] = [
    ['proxy-client', outbound.clientCertificates.map(({ pem }) => pem.reveal())],
    ['proxy-authority', [outbound.authorities]],
    [
      'key-service-authority',
      [rootKeys.primary, ...rootKeys.others, ...(rootKeys.own?.keys.values() ?? [])].map(authorityOf),
    ],
  ];
  metrics.addGauges(
    'strongroom_certificate_expiry_timestamp_seconds',
    'When the first certificate of a setting expires.',
    'use',
    () =>
      new Map(
        texts.flatMap(([use, of]) => {
          const expiry = findFirstExpiry(of.filter((text) => text !== undefined));
          return expiry === undefined ? [] : [[use, expiry] as const];
        }),
      ),
  );
}

async function readAges(database: Database): Promise<Readings> {
  const { rootSeconds, dataSeconds, apiSeconds } = await database.forSystem(async (tx) => ({
    ...(await findKeyAges(tx)),
    apiSeconds: await new CredentialStore(tx).findOldestAge(),
  }));
  const ages = [['root', rootSeconds] as const, ['data', dataSeconds] as const, ['api', apiSeconds] as const];
  return new Map(ages.flatMap(([key, seconds]) => (seconds === null ? [] : [[key, seconds] as const])));
}

function authorityOf(rootKey: RootKeysConfig['primary']): string | undefined {
  return 'authority' in rootKey ? rootKey.authority : undefined;
}
