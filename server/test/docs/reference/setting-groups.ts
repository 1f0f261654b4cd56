import { audit } from '../../../src/platform/config/audit-settings.ts';
import { awsKmsKey } from '../../../src/platform/config/root-key/aws-kms-settings.ts';
import { azureKeyVaultKey } from '../../../src/platform/config/root-key/azure-key-vault-settings.ts';
import { moving } from '../../../src/platform/config/cell-settings.ts';
import { database } from '../../../src/platform/config/database-settings.ts';
import { elements } from '../../../src/platform/config/elements-settings.ts';
import { fileKey, previousFileKey } from '../../../src/platform/config/root-key/file-key-settings.ts';
import { googleKmsKey } from '../../../src/platform/config/root-key/google-kms-settings.ts';
import { limits } from '../../../src/platform/config/limits-settings.ts';
import { logStreams } from '../../../src/platform/config/log-stream-settings.ts';
import { outbound } from '../../../src/platform/config/outbound-settings.ts';
import { ownRootKeys } from '../../../src/platform/config/root-key/own-root-key-settings.ts';
import { pkcs11Key, previousPkcs11Key } from '../../../src/platform/config/root-key/pkcs11-settings.ts';
import { openid, smtp } from '../../../src/platform/config/portal-settings.ts';
import { rootKeyProvider } from '../../../src/platform/config/root-key/root-key-settings.ts';
import * as serving from '../../../src/platform/config/server-settings.ts';
import type { Reading } from '../../../src/platform/config/setting.ts';
import { traces } from '../../../src/platform/config/trace-settings.ts';
import { transitKey } from '../../../src/platform/config/root-key/transit-settings.ts';

export interface SettingGroup {
  readonly title: string;
  readonly about: string;
  /** The parts of the configuration whose settings are in this group. */
  readonly readings: readonly Reading<unknown>[];
}

const { listen, servesReference, documentationUrl, requestTimeoutSeconds, drain, logLevel, cell, workerAdminPort } =
  serving;

/** Every setting, in the order in which an operator encounters them. A test fails if a setting has no group. */
export const settingGroups: readonly SettingGroup[] = [
  {
    title: 'Database',
    about:
      'Where everything is stored. [Database roles](../operate/install.md#database-roles) says what each address may do.',
    readings: [database],
  },
  {
    title: 'Root key',
    about:
      'One root key is required: in a variable or a file, in an HSM, in AWS KMS, in Google Cloud KMS, in Azure Key Vault, or in Vault or OpenBao. To move from one to another, configure both and name the one that wraps. See [Rotate keys](../guides/rotate-keys.md).',
    readings: [fileKey, previousFileKey, rootKeyProvider],
  },
  {
    title: 'Root keys of tenants',
    about:
      'For tenants whose owners control their own root key. See [A root key for a tenant](../operate/tenant-root-keys.md).',
    readings: [ownRootKeys],
  },
  {
    title: 'Root key in an HSM',
    about:
      'Used if `STRONGROOM_PKCS11_MODULE` is set; the token, the PIN and the key are then required. See [A root key in an HSM](../operate/root-key-in-an-hsm.md).',
    readings: [pkcs11Key, previousPkcs11Key, serving.staysWhenRefused],
  },
  {
    title: 'Root key in AWS KMS',
    about:
      'Used if `STRONGROOM_AWS_KMS_KEY` is set; the region is then required. See [A root key in AWS KMS](../operate/root-key-in-aws-kms.md).',
    readings: [awsKmsKey],
  },
  {
    title: 'Root key in Google Cloud KMS',
    about:
      'Used if `STRONGROOM_GOOGLE_KMS_KEY` is set. See [A root key in Google Cloud KMS](../operate/root-key-in-google-cloud-kms.md).',
    readings: [googleKmsKey],
  },
  {
    title: 'Root key in Azure Key Vault',
    about:
      'Used if `STRONGROOM_AZURE_KEY_VAULT_URL` is set; the key is then required. See [A root key in Azure Key Vault](../operate/root-key-in-azure-key-vault.md).',
    readings: [azureKeyVaultKey],
  },
  {
    title: 'Root key in Vault or OpenBao',
    about:
      'Used if `STRONGROOM_TRANSIT_URL` is set; the key is then required. See [A root key in Vault or OpenBao](../operate/root-key-in-vault-or-openbao.md).',
    readings: [transitKey],
  },
  {
    title: 'Server',
    about:
      'Read by `strongroom serve`; the public URL also by commands that print links, and by workers that mail them.',
    readings: [listen, servesReference, documentationUrl, requestTimeoutSeconds, drain, logLevel],
  },
  {
    title: 'Cell',
    about:
      'The name is set for every process and command of a vault that is one of several; only commands that move tenants read the addresses. See [Regions and cells](../deploy/cells.md).',
    readings: [cell, moving],
  },
  {
    title: 'Worker',
    about: 'Read by `strongroom work`, in addition to `STRONGROOM_ADMIN_HOST` and `STRONGROOM_LOG_LEVEL`.',
    readings: [workerAdminPort],
  },
  {
    title: 'Limits',
    about: 'Read by `strongroom serve`. [Endpoints](api.md#rate-limits) lists the default limits.',
    readings: [limits],
  },
  {
    title: 'Audit log and alerts',
    about: 'Read by `strongroom work`.',
    readings: [audit],
  },
  {
    title: 'Log streams',
    about: 'Read by `strongroom work`. See [Stream the audit log](../operate/log-streams.md).',
    readings: [logStreams],
  },
  {
    title: 'Proxy',
    about:
      'Read by `strongroom serve`. Without them, the proxy calls only `https` on port 443 at public addresses; lists are separated by commas.',
    readings: [outbound],
  },
  {
    title: 'Card fields',
    about:
      'Read by `strongroom serve`. Without an address, card fields are not served. See [Card fields](../elements.md).',
    readings: [elements],
  },
  {
    title: 'Mail',
    about:
      'Read by `strongroom work`. With a mail server, the sender and `STRONGROOM_PUBLIC_URL` are required. Set the sender for `strongroom serve`, too: without it, the portal shows owners and admins the links of invitations that have not been mailed yet.',
    readings: [smtp],
  },
  {
    title: 'Signing in with an OpenID provider',
    about: 'Read by `strongroom serve`. With an issuer, the client id and its secret are required.',
    readings: [openid],
  },
  {
    title: 'Traces',
    about:
      'Read by `strongroom serve` and `strongroom work`. Nothing is traced without the address of a collector. See [Traces](../traces.md).',
    readings: [traces],
  },
];
