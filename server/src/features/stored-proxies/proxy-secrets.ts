import { Sensitive } from '../../core/identity/sensitive.ts';
import { membersOf } from '../../core/objects/members-of.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Keyring } from '../../platform/keyring/keys/keyring.ts';
import { proxySecretsBinding } from './sealed-stored-proxies-sql.ts';
import type { ProxySecrets } from './stored-proxy.ts';

export async function sealSecrets(
  keyring: Keyring,
  tenantId: TenantId,
  { id, secrets }: { readonly id: string; readonly secrets: ProxySecrets },
): Promise<Buffer> {
  const text = JSON.stringify({ key: secrets.key.reveal(), configuration: secrets.configuration.reveal() });
  return (await keyring.forTenant(tenantId)).seal(text, proxySecretsBinding(id));
}

export async function openSecrets(
  keyring: Keyring,
  tenantId: TenantId,
  { id, sealed }: { readonly id: string; readonly sealed: Buffer },
): Promise<ProxySecrets> {
  const keys = await keyring.forRecord(tenantId, sealed);
  const { key, configuration } = membersOf(JSON.parse(keys.open(sealed, proxySecretsBinding(id))));
  if (typeof key !== 'string') throw new TypeError('A stored proxy must have a key.');
  const texts = Object.entries(membersOf(configuration)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { key: new Sensitive(key), configuration: new Sensitive(Object.fromEntries(texts)) };
}
