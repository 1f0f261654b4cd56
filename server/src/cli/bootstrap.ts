import { Command, Option } from 'commander';
import { permissionsOf } from '../core/access/permission.ts';
import type { EmailAddress } from '../core/identity/email-address.ts';
import { processEnvironment, readAddress, readDatabaseConfig } from '../platform/config/config.ts';
import { parseEmail, parseName } from './terminal/arguments.ts';
import { askOwnerEmail } from './terminal/ask-owner.ts';
import { printJson, printText } from './terminal/output.ts';
import { withVault } from './terminal/with-vault.ts';

interface BootstrapOptions {
  readonly name: string;
  readonly type: 'test' | 'production';
  readonly ownerEmail?: EmailAddress;
  readonly rootKey?: string;
  readonly json?: boolean;
}

export function bootstrapCommand(): Command {
  return new Command('bootstrap')
    .description(
      'Create a tenant with its keys, its owner and a management application, and print the management key once.',
    )
    .requiredOption('--name <name>', 'name of the new tenant', parseName)
    .addOption(new Option('--type <type>', 'type of tenant').choices(['test', 'production']).default('production'))
    .option('--owner-email <address>', 'e-mail address of the owner; asked for on a terminal', parseEmail)
    .option('--root-key <name>', "its owner's root key in STRONGROOM_TENANT_ROOT_KEYS")
    .option('--json', 'print the result as JSON, and ask nothing')
    .addHelpText(
      'after',
      `
The owner signs in with a link: strongroom members sign-in-link --tenant <id>.
With the management key, create applications for your services: POST /applications.
The key is stored only as a hash. If it is lost, \`strongroom applications key\` issues another one.`,
    )
    .action(async ({ name, type, ownerEmail, rootKey, json }: BootstrapOptions) => {
      // The URL is read first, because a failure after the key has been created would lose the key.
      const url = readAddress(processEnvironment()) ?? 'http://localhost:8080';
      await withVault(async (core) => {
        if (rootKey !== undefined) {
          const { requireServersWithSameKeys } = await import('../app/operations/same-root-keys.ts');
          await requireServersWithSameKeys(readDatabaseConfig(processEnvironment()).url, core.rootKeys);
        }
        const email = ownerEmail ?? (json === true ? undefined : await askOwnerEmail());
        const { tenantId, keys } = await core.tenantMaker.make({
          name,
          type,
          ownerEmail: email ?? null,
          ownRootKey: rootKey,
          applications: [
            { name: 'Management', type: 'management', permissions: permissionsOf('management'), rules: [] },
          ],
        });
        const [key = ''] = keys;
        if (json === true) printJson({ tenant_id: tenantId, keys: { management: key } });
        else printText(describe({ tenantId, key, url, hasEmail: email !== undefined }));
      });
    });
}

function describe(made: { tenantId: string; key: string; url: string; hasEmail: boolean }): string {
  const { tenantId, key, url, hasEmail } = made;
  const body = '{"name":"My service","type":"private","permissions":["token:create","token:read"]}';
  const owner = hasEmail ? '' : 'Its owner has no e-mail address, and signs in with links only. ';
  return `Tenant ${tenantId} is ready. ${owner}Its management key, which is not shown again:

  ${key}

Sign its owner in, and create an application for your service:

  strongroom members sign-in-link --tenant ${tenantId}
  curl ${url}/applications -H 'BT-API-KEY: ${key}' -H 'Content-Type: application/json' -d '${body}'
`;
}
