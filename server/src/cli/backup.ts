import { Command, InvalidArgumentError } from 'commander';
import type { BackupReport } from '../app/doctor/backup-check.ts';
import { processEnvironment, readVaultConfig } from '../platform/config/config.ts';
import { printJson, printText } from './terminal/output.ts';
import { Progress } from './terminal/progress.ts';
import { stopSignal } from './terminal/stop-signal.ts';

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
    .description('Restore a dump into a scratch database and decrypt every key and token in it.')
    .requiredOption('--dump <path>', 'a pg_dump archive (--format=custom, directory or tar)')
    .option('--sample <count>', 'decrypt only this many tokens for each tenant and key version', parseCount)
    .option('--unpacked-max <megabytes>', 'stop if the unpacked dump is larger than this', parseCount)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
The scratch database is created on the server in STRONGROOM_DATABASE_OWNER_URL (or STRONGROOM_DATABASE_URL) and dropped
afterwards, even if the command fails or is stopped. The role needs CREATEDB and CREATEROLE. To keep the load away from the
vault, use another database server: only the dump and the root key are needed.
Nothing in the dump is executed. A process without the root key reads its rows, with a role that can only add rows to the
scratch database; tables are created by this version's own migrations. Plain SQL is refused.
By default, a dump may unpack to 1 GiB plus 50 times its size; --unpacked-max changes that.
Needs pg_restore in the version that wrote the dump or a newer one. Exits with status 1 if anything cannot be decrypted.`,
    )
    .action(async (flags: VerifyFlags) => {
      const environment = processEnvironment();
      const config = readVaultConfig(environment);
      const signal = stopSignal();
      const { checkBackup } = await import('../app/doctor/backup-check.ts');
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
      const isOpened = report.tenants.every(({ unopened, missingKeys }) => unopened === 0 && missingKeys.length === 0);
      const isOk = isOpened && report.unchecked.length === 0;
      if (flags.json === true) printJson(toReportJson(report, isOk));
      else printText(describe(report, flags));
      if (!isOk) process.exitCode = 1;
    });
}

function toReportJson({ rootKey, schema, keys, tenants, unchecked }: BackupReport, isOk: boolean) {
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
    unchecked: unchecked.map(({ rootKey: id, tenants: ids, reason }) => ({ root_key: id, tenants: [...ids], reason })),
  };
}

function describe({ rootKey, schema, keys, tenants, unchecked }: BackupReport, flags: VerifyFlags): string {
  const sum = (pick: (tenant: BackupReport['tenants'][number]) => number) =>
    tenants.reduce((total, tenant) => total + pick(tenant), 0);
  const unopened = sum((tenant) => tenant.unopened);
  const missing = tenants.flatMap(({ tenantId, missingKeys }) =>
    missingKeys.map(
      ({ keyVersion, tokens }) =>
        `FAIL tenant ${tenantId}: ${tokens} tokens need version ${keyVersion ?? '(unreadable)'} of its data key, which is not in the dump. The dump is not a consistent snapshot: take another one.`,
    ),
  );
  const damaged = tenants.flatMap(({ tenantId, unopened: count, unopenedIds }) =>
    count === 0
      ? []
      : [
          `FAIL tenant ${tenantId}: ${count} tokens cannot be decrypted, such as ${unopenedIds.slice(0, 3).join(', ')}. Read them in the vault; if that works, take another dump.`,
        ],
  );
  const skipped = unchecked.map(
    ({ rootKey: id, tenants: { size }, reason }) =>
      `FAIL ${id} cannot be used, so the tokens of ${size} tenants were not opened: ${reason}`,
  );
  const moved = schema.dumped === schema.migrated ? '' : `, migrated to ${schema.migrated}`;
  const of = flags.sample === undefined ? '' : ` of ${sum(({ tokens }) => tokens)}`;
  return [
    ...missing,
    ...damaged,
    ...skipped,
    `Schema version ${schema.dumped}${moved}. Root key ${rootKey} unwraps ${unchecked.length === 0 ? `all ${keys}` : keys} tenant keys.`,
    `${sum(({ opened }) => opened)}${of} tokens of ${tenants.length} tenants decrypted, ${unopened} failed.`,
    verdictOn({ isDamaged: missing.length + damaged.length > 0, isPartial: skipped.length > 0 }),
  ].join('\n');
}

function verdictOn({ isDamaged, isPartial }: { readonly isDamaged: boolean; readonly isPartial: boolean }): string {
  if (isDamaged) return 'This backup is incomplete or damaged.';
  if (isPartial)
    return 'The rest of this backup can be restored and read. Verify it again when those root keys can be used.';
  return 'This backup can be restored and read.';
}

function parseCount(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return count;
}
