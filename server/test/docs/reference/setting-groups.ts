import * as elements from '../../../src/platform/config/elements-settings.ts';
import * as kms from '../../../src/platform/config/kms-settings.ts';
import * as outbound from '../../../src/platform/config/outbound-settings.ts';
import * as portal from '../../../src/platform/config/portal-settings.ts';
import * as rootKeys from '../../../src/platform/config/root-key-settings.ts';
import type { Setting } from '../../../src/platform/config/setting.ts';
import * as settings from '../../../src/platform/config/settings.ts';
import * as traces from '../../../src/platform/config/trace-settings.ts';

export interface SettingGroup {
  readonly title: string;
  readonly about: string;
  readonly settings: readonly Setting<unknown>[];
}

const { databaseUrl, databaseOwnerUrl, databaseConnections, databaseTimeoutSeconds } = settings;
const { rootKey, previousRootKey, rootKeyProvider } = rootKeys;

/** Every setting, in the order in which an operator encounters them. A test fails if a setting has no group. */
export const settingGroups: readonly SettingGroup[] = [
  {
    title: 'Database',
    about:
      'Where everything is stored. [Database roles](../operate/install.md#database-roles) says what each address may do.',
    settings: [
      databaseUrl,
      databaseOwnerUrl,
      databaseConnections,
      databaseTimeoutSeconds,
      settings.requireSynchronousStandby,
    ],
  },
  {
    title: 'Root key',
    about:
      'One root key is required: in a variable or a file, in an HSM, in AWS KMS, or in Vault or OpenBao. To move from one to another, configure both and name the one that wraps. See [Rotate keys](../guides/rotate-keys.md).',
    settings: [rootKey, previousRootKey, rootKeyProvider],
  },
  {
    title: 'Root key in an HSM',
    about: 'Used if `STRONGROOM_PKCS11_MODULE` is set; the token, the PIN and the key are then required.',
    settings: [
      rootKeys.pkcs11Module,
      rootKeys.pkcs11Token,
      rootKeys.pkcs11Pin,
      rootKeys.pkcs11Key,
      rootKeys.previousPkcs11Key,
    ],
  },
  {
    title: 'Root key in AWS KMS',
    about:
      'Used if `STRONGROOM_AWS_KMS_KEY` is set; the region is then required, and so are the access key and its secret unless AWS has set one of the `AWS_CONTAINER_…` variables.',
    settings: [
      kms.awsKey,
      kms.awsRegion,
      kms.awsEndpoint,
      kms.awsAuthority,
      kms.awsAccessKeyId,
      kms.awsSecretAccessKey,
      kms.awsSessionToken,
      kms.containerUrl,
      kms.containerPath,
      kms.containerTokenFile,
    ],
  },
  {
    title: 'Root key in Vault or OpenBao',
    about: 'Used if `STRONGROOM_TRANSIT_URL` is set; the key is then required.',
    settings: [
      kms.transitUrl,
      kms.transitKey,
      kms.transitMount,
      kms.transitToken,
      kms.transitNamespace,
      kms.transitAuthority,
    ],
  },
  {
    title: 'Server',
    about:
      'Read by `strongroom serve`; the public URL also by commands that print links, and by workers that mail them.',
    settings: [
      settings.publicUrl,
      settings.host,
      settings.port,
      settings.adminHost,
      settings.adminPort,
      settings.apiReference,
      settings.requestTimeoutSeconds,
      settings.drainDelaySeconds,
      settings.drainTimeoutSeconds,
      settings.logLevel,
    ],
  },
  {
    title: 'Worker',
    about: 'Read by `strongroom work`, in addition to `STRONGROOM_ADMIN_HOST` and `STRONGROOM_LOG_LEVEL`.',
    settings: [settings.workerAdminPort],
  },
  {
    title: 'Limits',
    about: 'Read by `strongroom serve`. [Endpoints](api.md#rate-limits) lists the default limits.',
    settings: [
      settings.trustedProxies,
      settings.rateLimits,
      settings.redisUrl,
      settings.containerSetsMax,
      settings.containerSetsPublicDailyMax,
    ],
  },
  {
    title: 'Audit log and alerts',
    about: 'Read by `strongroom work`.',
    settings: [
      settings.auditRetentionMonths,
      settings.auditAnchorFile,
      settings.auditAnchorUrl,
      settings.alertWindowMinutes,
      settings.alertMisses,
      settings.alertReveals,
      settings.alertAddresses,
    ],
  },
  {
    title: 'Proxy',
    about:
      'Read by `strongroom serve`. Without them, the proxy calls only `https` on port 443 at public addresses; lists are separated by commas.',
    settings: [
      outbound.requiresDestinationList,
      outbound.callsPerTenantMax,
      outbound.authorities,
      outbound.clientCertificates,
      outbound.privateRanges,
      outbound.hosts,
      outbound.ports,
      outbound.resolvers,
    ],
  },
  {
    title: 'Card fields',
    about:
      'Read by `strongroom serve`. Without an address, card fields are not served. See [Card fields](../elements.md).',
    settings: [elements.elementsUrl, elements.elementsPort],
  },
  {
    title: 'Mail',
    about: 'Read by `strongroom work`. With a mail server, the sender and `STRONGROOM_PUBLIC_URL` are required.',
    settings: [portal.smtpUrl, portal.mailFrom],
  },
  {
    title: 'Signing in with an OpenID provider',
    about: 'Read by `strongroom serve`. With an issuer, the client id and its secret are required.',
    settings: [portal.openidIssuer, portal.openidClientId, portal.openidClientSecret, portal.openidName],
  },
  {
    title: 'Traces',
    about:
      'Read by `strongroom serve` and `strongroom work`. Nothing is traced without the address of a collector. See [Traces](../traces.md).',
    settings: [
      traces.otlpEndpoint,
      traces.otlpHeaders,
      traces.otlpProtocol,
      traces.otlpTracesEndpoint,
      traces.otlpTracesHeaders,
      traces.otlpTracesProtocol,
      traces.tracesSampler,
      traces.tracesSamplerRatio,
      traces.tracesPerSecond,
      traces.serviceName,
      traces.resourceAttributes,
      traces.tracesDisabled,
    ],
  },
];
