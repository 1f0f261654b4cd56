/** Returns the text that is printed when everything is ready. `vault` is the output of `strongroom dev --json`. */
export function renderBanner({ url, data, vault }) {
  const { pathname } = new URL(vault.sign_in_url);
  const keys = Object.entries({ ...vault.keys, ...vault.seeded_keys });
  return `
  *** DEVELOPMENT ONLY: never store real cards here. Data and secrets are kept in ${data}. ***

  Open          ${url} (portal with hot reload, everything else from the vault)
  Sign in       ${url}${pathname} (works once)
  Shop          ${url}/shop (redirects to the shop, whose port changes with every restart)
  Vault         ${vault.url} (the portal as last built; passkeys work only at this address)
  Tenant        ${vault.tenant_id}

  Keys
${keys.map(([name, key]) => `    ${name.padEnd(16)}  ${key}`).join('\n')}

  Stop with Ctrl-C.`;
}
