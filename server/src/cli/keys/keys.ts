import { Command, Option } from 'commander';
import type { KeyManagement } from '../../app/operations/key-management.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import { processEnvironment, readVaultConfig } from '../../platform/config/config.ts';
import { parseTenant, wholeNumberFrom } from '../terminal/arguments.ts';
import { describeKeys, describeReencryption, describeRetirement, type TenantKeys, toKeysJson } from './keys-text.ts';
import { printError, printJson, printText } from '../terminal/output.ts';
import { Progress } from '../terminal/progress.ts';

interface TenantFlags {
  readonly tenant?: TenantId;
  readonly all?: boolean;
  readonly json?: boolean;
}

interface RewrapFlags {
  readonly tenant: TenantId;
  readonly rootKey?: string;
  readonly vault?: boolean;
  readonly json?: boolean;
}

const defaultRate = 1_000;

export function keysCommand(): Command {
  return new Command('keys')
    .description('List, rotate and retire keys while the vault is running.')
    .addCommand(listCommand())
    .addCommand(
      new Command('rotate')
        .description('Rotate the root key, the data keys of tenants, or the key between servers.')
        .addCommand(rotateRootCommand())
        .addCommand(rotateDataCommand())
        .addCommand(rotateExchangeCommand()),
    )
    .addCommand(rewrapCommand())
    .addCommand(reencryptCommand())
    .addCommand(retireCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('List all keys with the root key that wraps each, and optionally how many rows each encrypts.')
    .option('--tenant <id>', 'only this tenant', parseTenant)
    .option('--rows', 'count the rows encrypted with each data key; reads every row once')
    .option('--json', 'print the keys as JSON')
    .action(async (flags: TenantFlags & { rows?: boolean }) => {
      const listed = await withKeys(async (keys) => {
        const progress = new Progress('Counting rows', flags.json !== true);
        const tenants: TenantKeys[] = [];
        for (const tenantId of flags.tenant === undefined ? await keys.listTenants() : [flags.tenant]) {
          const described = await keys.describe(tenantId);
          const versions = described.filter(({ purpose }) => purpose === 'data').map(({ version }) => version);
          const onRow = (read: number) => progress.update(read, undefined);
          const rows = flags.rows === true ? await keys.retirement.countRows(tenantId, versions, onRow) : undefined;
          tenants.push({ keys: described, rows });
        }
        progress.end();
        const described = tenants.flatMap((tenant) => tenant.keys);
        return { rootKeys: keys.core.rootKeys, ownKeys: keys.listOwnKeys(described), tenants };
      });
      if (flags.json === true) printJson(toKeysJson(listed));
      else printText(describeKeys(listed));
    });
}

function rotateRootCommand(): Command {
  return new Command('root')
    .description(
      'Rewrap every key with the current root key, except those of tenants with their own. Stored data is not touched.',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
To move to another root key while the vault is running:
  1. give every server both root keys, with STRONGROOM_ROOT_KEY_PROVIDER set to the old one
  2. set STRONGROOM_ROOT_KEY_PROVIDER to the new one
  3. run strongroom keys rotate root
  4. remove the old one from the settings, but keep it as long as backups from before the change
If the command is interrupted, run it again.`,
    )
    .action(async (flags: { json?: boolean }) => {
      const progress = new Progress('Rewrapping keys', flags.json !== true);
      const report = await withKeys((keys) => keys.rotateRoot((done) => progress.update(done, undefined)));
      progress.end();
      const { rootKey, rewrapped, untouched } = report;
      if (flags.json === true) printJson({ root_key: rootKey, rewrapped, untouched });
      else printText(`${rewrapped} keys are now wrapped by ${rootKey}; ${untouched} already were.`);
    });
}

function rewrapCommand(): Command {
  return new Command('rewrap')
    .description("Rewrap the keys of a tenant with its owner's root key, or with that of the vault again.")
    .requiredOption('--tenant <id>', 'tenant whose keys are rewrapped', parseTenant)
    .addOption(
      new Option('--root-key <name>', 'name of the root key in STRONGROOM_TENANT_ROOT_KEYS').conflicts('vault'),
    )
    .option('--vault', 'use the root key of the vault')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Give every server and worker the same list of root keys first. Stored data is not touched, and requests notice nothing. Either
all keys of the tenant are rewrapped or none. It is recorded in its audit log.`,
    )
    .action(async ({ tenant, rootKey: name, vault, json }: RewrapFlags) => {
      if ((name === undefined) === (vault !== true)) throw new Error('Specify either --root-key <name> or --vault.');
      const { rootKey, rewrapped } = await withKeys((keys) => keys.rewrapTenant(tenant, name));
      if (json === true) printJson({ tenant_id: tenant, root_key: rootKey, rewrapped });
      else printText(`Tenant ${tenant}: ${rewrapped} keys were rewrapped. All are wrapped by ${rootKey}.`);
    });
}

function rotateDataCommand(): Command {
  return forTenants(
    new Command('data')
      .description(
        'Give tenants a new data key. New writes use it immediately; older keys still decrypt existing data.',
      )
      .addHelpText('after', '\nAfterwards, `strongroom keys reencrypt` re-encrypts existing data with the new key.'),
    async (keys, tenantId, flags) => {
      const { rotateDataKey } = await import('../../features/keys/index.ts');
      const { version } = await rotateDataKey(keys.core, tenantId);
      if (flags.json === true) printJson({ tenant_id: tenantId, version });
      else printText(`Tenant ${tenantId} now encrypts with data key ${version}.`);
    },
  );
}

function rotateExchangeCommand(): Command {
  return new Command('exchange')
    .description('Replace the key with which servers recognise each other, after the memory of one was copied.')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Restart every server and worker afterwards. Until then, they use the old key. Stop all before you start the first: servers with
different keys do not share card verification codes, so codes of the last hour are lost in either case.`,
    )
    .action(async (flags: { json?: boolean }) => {
      const { rotateExchangeKey } = await import('../../features/keys/index.ts');
      const rootKey = await withKeys(async ({ core }) => {
        await rotateExchangeKey(core);
        return core.rootKeys.primary.id;
      });
      if (flags.json === true) printJson({ purpose: 'exchange', root_key: rootKey });
      else printText('The exchange key was replaced. Stop every server and worker, then start them again.');
    });
}

function reencryptCommand(): Command {
  return forTenants(
    new Command('reencrypt')
      .description('Re-encrypt all stored data with the newest data key while the vault is running.')
      .option('--rate <rows>', 'maximum rows per second', wholeNumberFrom(1, 1_000_000), defaultRate)
      .addHelpText('after', '\nIf it is stopped or killed, run it again: it continues where it left off.'),
    async (keys, tenantId, flags: TenantFlags & { rate: number }) => {
      await keys.requireServersThatAsk();
      const total = await keys.estimateRows(tenantId);
      const progress = new Progress(`Re-encrypting tenant ${tenantId}`, flags.json !== true);
      const report = await keys.reencryption.run(tenantId, {
        rowsPerSecond: flags.rate,
        onProgress: (read) => progress.update(read, Math.max(total, read)),
      });
      progress.end();
      if (report.unreadable.length > 0) process.exitCode = 1;
      if (flags.json === true) {
        const { targetVersion: version, read, changed, unreadable } = report;
        printJson({ tenant_id: tenantId, version, rows_read: read, rows_changed: changed, unreadable });
      } else printText(describeReencryption(tenantId, report));
    },
  );
}

function retireCommand(): Command {
  return forTenants(
    new Command('retire').description('Destroy data keys that are no longer used.').addHelpText(
      'after',
      `
A key is destroyed only if \`strongroom keys reencrypt\` closed it at least a minute ago and no row uses it; to be sure, this
command reads every row once. Earlier backups can still be decrypted: they contain the wrapped key.`,
    ),
    async (keys, tenantId, flags) => {
      await keys.requireServersThatAsk();
      const total = await keys.estimateRows(tenantId);
      const progress = new Progress(`Checking tenant ${tenantId}`, flags.json !== true);
      const report = await keys.retirement.run(tenantId, (read) => progress.update(read, Math.max(total, read)));
      progress.end();
      if (report.inUse.size > 0) process.exitCode = 1;
      if (flags.json === true) {
        const inUse = Object.fromEntries(report.inUse);
        printJson({ tenant_id: tenantId, retired: report.retired, in_use: inUse });
      } else printText(describeRetirement(tenantId, report));
    },
  );
}

/**
 * Adds the options of a command that works on one tenant or all of them. One of the two must be specified. If the
 * command fails for one tenant, it continues with the others.
 */
function forTenants<Flags extends TenantFlags>(
  command: Command,
  work: (keys: KeyManagement, tenantId: TenantId, flags: Flags) => Promise<void>,
): Command {
  return command
    .option('--tenant <id>', 'only this tenant', parseTenant)
    .option('--all', 'every tenant')
    .option('--json', 'print a line of JSON per tenant')
    .action(async (flags: Flags) => {
      if ((flags.tenant === undefined) === (flags.all !== true)) {
        throw new Error('Specify either --tenant <id> or --all.');
      }
      await withKeys(async (keys) => {
        if (flags.tenant !== undefined) return work(keys, flags.tenant, flags);
        for (const tenantId of await keys.listTenants()) {
          await work(keys, tenantId, flags).catch((error: unknown) => {
            printError(new Error(`Tenant ${tenantId} was left unchanged.`, { cause: error }), flags.json === true);
            process.exitCode = 1;
          });
        }
      });
    });
}

async function withKeys<T>(work: (keys: KeyManagement) => Promise<T>): Promise<T> {
  const config = readVaultConfig(processEnvironment());
  const { KeyManagement } = await import('../../app/operations/key-management.ts');
  return KeyManagement.with(config, work);
}
