import { Command, InvalidArgumentError, Option } from 'commander';
import { permissionsOf } from '../core/access/permission.ts';
import { processEnvironment, readVaultConfig } from '../platform/config/config.ts';
import { parseEmail } from './arguments.ts';
import { printJson, printText } from './output.ts';

interface BootstrapOptions {
  readonly name: string;
  readonly type: 'test' | 'production';
  readonly ownerEmail?: string;
  readonly json?: boolean;
}

export function bootstrapCommand(): Command {
  return new Command('bootstrap')
    .description(
      'Create a tenant with its keys, its owner and a management application, and print the management key once.',
    )
    .requiredOption('--name <name>', 'name of the new tenant', parseName)
    .addOption(new Option('--type <type>', 'type of tenant').choices(['test', 'production']).default('production'))
    .option('--owner-email <address>', 'e-mail address of the owner', parseEmail)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
The owner signs in with a link: strongroom members sign-in-link --tenant <id>.
With the management key, create applications for your services: POST /applications.
The key is stored only as a hash. If it is lost, run bootstrap for a new tenant or create a key with another management key.`,
    )
    .action(async (options: BootstrapOptions) => {
      const config = readVaultConfig(processEnvironment());
      const { VaultCore } = await import('../app/vault-core.ts');
      const core = await VaultCore.open(config);
      try {
        const { tenantId, keys } = await core.tenantMaker.make({
          name: options.name,
          type: options.type,
          ownerEmail: options.ownerEmail ?? null,
          applications: [
            { name: 'Management', type: 'management', permissions: permissionsOf('management'), rules: [] },
          ],
        });
        const [key] = keys;
        if (options.json === true) printJson({ tenant_id: tenantId, keys: { management: key } });
        else printText(`Tenant ${tenantId} is ready. Its management key, which is not shown again:\n\n  ${key}\n`);
      } finally {
        await core.close();
      }
    });
}

function parseName(text: string): string {
  if (text.trim() === '' || text.length > 200) throw new InvalidArgumentError('A name must have 1 to 200 characters.');
  return text;
}
