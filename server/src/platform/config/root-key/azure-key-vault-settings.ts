import type { AzureApplication, AzureKeyVaultOptions } from '../../keyring/kms/azure/azure-key-vault-client.ts';
import { companions, group, optionalSetting, setting } from '../reading.ts';
import { rootKeyReading } from './root-key-reading.ts';
import { isServiceUrl, parseHeaderSecret, textLike, urlWhere } from '../setting-parsers.ts';

const parseUuid = textLike(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i);
const example = '00000000-0000-4000-8000-000000000000';

const tenantId = setting('STRONGROOM_AZURE_KEY_VAULT_TENANT_ID', parseUuid, {
  expectation: 'the tenant of an application that may use the key, if the vault signs in with a client secret',
  example,
});

const application = group<AzureApplication>({
  tenantId,
  clientId: setting('STRONGROOM_AZURE_KEY_VAULT_APPLICATION_ID', parseUuid, {
    expectation: 'the client id of that application',
    example,
  }),
  clientSecret: setting('STRONGROOM_AZURE_KEY_VAULT_CLIENT_SECRET', parseHeaderSecret, {
    expectation: 'a client secret of that application',
    example: '"$(cat client-secret)"',
    secret: 'credential',
  }),
});

/** A root key in Azure Key Vault. */
export const azureKeyVaultKey = rootKeyReading(
  'azure-key-vault',
  group<Omit<AzureKeyVaultOptions, 'agent'>>({
    url: setting('STRONGROOM_AZURE_KEY_VAULT_URL', urlWhere(isVault), {
      expectation: 'the HTTPS address of a key vault or a managed HSM',
      example: 'https://strongroom.vault.azure.net',
    }),
    key: setting('STRONGROOM_AZURE_KEY_VAULT_KEY', textLike(/^[A-Za-z\d-]{1,127}$/), {
      expectation: 'the name of an RSA key in it',
      example: 'strongroom',
    }),
    clientId: optionalSetting('STRONGROOM_AZURE_KEY_VAULT_CLIENT_ID', parseUuid, {
      expectation: 'the client id of the managed identity or workload identity, if the machine has several',
      example,
      otherwise: 'the only one, or what AZURE_CLIENT_ID says',
    }),
    application: companions(tenantId, application),
  }),
  async (options) => {
    const { AzureKeyVaultRootKey } = await import('../../keyring/kms/azure/azure-key-vault-root-key.ts');
    return AzureKeyVaultRootKey.open(options);
  },
);

function isVault(url: URL): boolean {
  return isServiceUrl(url, []) && url.pathname === '/' && url.port === '';
}
