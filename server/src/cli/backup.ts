import { Command, InvalidArgumentError } from 'commander';
import type { BackupReport } from '../app/backup-check.ts';
import { processEnvironment, readVaultConfig } from '../platform/config/config.ts';
import { printJson, printText } from './output.ts';
import { Progress } from './progress.ts';
import { stopSignal } from './stop-signal.ts';

interface VerifyFlags {
  readonly dump: string;
  readonly sample?: number;
  readonly unpackedMax?: number;
  readonly json?: boolean;
}

export function backupCommand(): Command {
  return new Command('backup').description('Prove that a backup can be restored and read.').addCommand(verifyCommand());
}

function verifyCommand(): Command {
  return new Command('verify')
    .description('Restore a dump into a scratch database and open every key and token in it.')
    .requiredOption('--dump <path>', 'an archive of pg_dump: --format=custom, directory or tar')
    .option('--sample <count>', 'open only so many tokens of each key version of each tenant', parseCount)
    .option('--unpacked-max <megabytes>', 'give up when the dump unpacks to more', parseCount)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
The scratch database is made on the server of STRONGROOM_DATABASE_OWNER_URL (or STRONGROOM_DATABASE_URL) and dropped
afterwards, even if something fails or you stop it. The role needs CREATEDB and CREATEROLE. Name another server than that of
the vault to keep the load away from it: nothing but the dump and the root key is needed.
Nothing in the dump is executed. A process without the root key reads its rows, as a role that can only add them to the
scratch database; tables are created by this version's own migrations. Plain SQL is refused.
Unless --unpacked-max says otherwise, a dump may unpack to 1 GiB and 50 times its size.
Needs pg_restore of the version that wrote the dump or newer. Exits with 1 when something does not open.`,
    )
    .action(async (flags: VerifyFlags) => {
      const environment = processEnvironment();
      const config = readVaultConfig(environment);
      const signal = stopSignal();
      const { checkBackup } = await import('../app/backup-check.ts');
      const progress = new Progress('Opening tokens', flags.json !== true);
      const report = await checkBackup(config, {
        dump: flags.dump,
        sampleSize: flags.sample,
        unpackedBytesMax: flags.unpackedMax === undefined ? undefined : flags.unpackedMax * 1024 ** 2,
        searchPath: environment['PATH'],
        signal,
        onStep: (step) => {
          if (flags.json !== true) process.stderr.write(`${step} …\n`);
        },
        onProgress: (opened) => progress.update(opened, undefined),
      });
      progress.end();
      const isOk = report.tenants.every(({ unopened, missingKeys }) => unopened === 0 && missingKeys.length === 0);
      if (flags.json === true) printJson(toReportJson(report, isOk));
      else printText(describe(report, flags));
      if (!isOk) process.exitCode = 1;
    });
}

function toReportJson({ rootKey, schema, keys, tenants }: BackupReport, isOk: boolean) {
  return {
    ok: isOk,
    root_key: rootKey,
    schema_version: schema.dumped,
    migrated_to: schema.migrated,
    key_versions: keys,
    tenants: tenants.map(({ tenantId, tokens, opened, unopened, unopenedIds, missingKeys }) => ({
      tenant_id: tenantId,
      tokens,
      opened,
      unopened,
      unopened_ids: unopenedIds,
      missing_key_versions: missingKeys.map(({ keyVersion, tokens: count }) => ({
        version: keyVersion,
        tokens: count,
      })),
    })),
  };
}

function describe({ rootKey, schema, keys, tenants }: BackupReport, flags: VerifyFlags): string {
  const sum = (pick: (tenant: BackupReport['tenants'][number]) => number) =>
    tenants.reduce((total, tenant) => total + pick(tenant), 0);
  const unopened = sum((tenant) => tenant.unopened);
  const missing = tenants.flatMap(({ tenantId, missingKeys }) =>
    missingKeys.map(
      ({ keyVersion, tokens }) =>
        `FAIL tenant ${tenantId}: ${tokens} tokens need version ${keyVersion ?? '(unreadable)'} of its data key, which the dump does not have. Take another dump: this one was not made in one piece.`,
    ),
  );
  const damaged = tenants.flatMap(({ tenantId, unopened: count, unopenedIds }) =>
    count === 0
      ? []
      : [
          `FAIL tenant ${tenantId}: ${count} tokens do not open, such as ${unopenedIds.slice(0, 3).join(', ')}. Look at them in the vault; if they open there, take another dump.`,
        ],
  );
  const moved = schema.dumped === schema.migrated ? '' : `, brought to ${schema.migrated}`;
  const of = flags.sample === undefined ? '' : ` of ${sum(({ tokens }) => tokens)}`;
  return [
    ...missing,
    ...damaged,
    `Schema version ${schema.dumped}${moved}. Root key ${rootKey} opens all ${keys} tenant keys.`,
    `${sum(({ opened }) => opened)}${of} tokens of ${tenants.length} tenants opened, ${unopened} did not.`,
    missing.length + damaged.length === 0 ? 'This backup can be restored and read.' : 'This backup is not whole.',
  ].join('\n');
}

function parseCount(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return count;
}
