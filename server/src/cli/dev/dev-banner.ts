import type { DevelopmentStorage, DevelopmentVault } from '../../app/dev/development-vault.ts';
import { listExamples } from './dev-examples.ts';
import { listVariables } from './dev-variables.ts';

/** Returns the text that `dev` prints when everything is ready. */
export function renderBanner(vault: DevelopmentVault): string {
  const examples = listExamples(vault).map(({ title, command }) => `  ${title}:\n\n${command}\n`);
  return `
  *** DEVELOPMENT ONLY: never store real cards here. ${describeStorage(vault.storage)} ***

  Open          ${vault.url} (listening on ${new URL(vault.boundUrl).host})
  Reference     ${vault.url}/docs
  Admin         ${vault.adminUrl}/readyz?verbose
  Card fields   ${vault.elementsUrl}
${vault.shopUrl === undefined ? '' : `  Shop          ${vault.shopUrl} (card fields, try 4242 4242 4242 4242)\n`}  Sign in       ${vault.signInUrl} (works once)
  Echo          ${vault.echoUrl} (a destination for the proxy)
  Tenant        ${vault.tenant.id}

  The guides use these variables. Paste them into another terminal:

${renderExports(listVariables(vault))}
${renderSeeded(vault.tenant.seeded)}
  A card is stored as ${vault.exampleId}. Paste these lines, too.

${examples.join('\n')}
  To run other commands, such as \`strongroom keys list\`, on this vault:

${renderExports(vault.settings)}

  Stop with Ctrl-C.`;
}

function renderExports(variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
  return lines.join('\n');
}

function renderSeeded(keys: Readonly<Record<string, string>> | undefined): string {
  if (keys === undefined) return '';
  const lines = Object.entries(keys).map(([name, key]) => `    ${name.padEnd(16)}  ${key}`);
  return `
  The tenant contains a month of sample data. Keys of its applications:
${lines.join('\n')}
`;
}

function describeStorage(storage: DevelopmentStorage): string {
  switch (storage.kind) {
    case 'deleted':
      return 'Everything is deleted when you stop it.';
    case 'kept':
      return `Data and secrets are kept in ${storage.directory}.`;
    case 'foreign':
      return `Database "${storage.database}" was migrated; the new tenant and its data stay in it when you stop.`;
  }
}
