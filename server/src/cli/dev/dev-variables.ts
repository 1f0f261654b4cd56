import type { DevelopmentVault } from '../../app/dev/development-vault.ts';

/** Returns the shell variables that the guides use. `scripts/run-guides` runs them with these. */
export function listVariables(vault: DevelopmentVault): Readonly<Record<string, string>> {
  const { keys, id } = vault.tenant;
  return {
    VAULT_URL: vault.url,
    ELEMENTS_URL: vault.elementsUrl,
    PROVIDER_URL: vault.echoUrl,
    PRIVATE_KEY: keys.private,
    REVEAL_KEY: keys.reveal,
    PUBLIC_KEY: keys.public,
    MANAGEMENT_KEY: keys.management,
    TENANT_ID: id,
    SIGN_IN_URL: vault.signInUrl,
  };
}
