import { Command, Option } from 'commander';
import type { MoveEnds } from '../app/moves/cell-end.ts';
import type { TenantId } from '../core/identity/ids.ts';
import { processEnvironment, readCellConfig } from '../platform/config/config.ts';
import { readSettingsFile } from '../platform/config/settings-file.ts';
import { parseTenant, wholeNumberFrom } from './terminal/arguments.ts';
import { printJson, printText } from './terminal/output.ts';
import { stopSignal } from './terminal/stop-signal.ts';

interface MoveFlags {
  readonly tenant: TenantId;
  readonly to: string;
  readonly stopMax: number;
  readonly cancel?: boolean;
  readonly finish?: boolean;
  readonly backup?: string;
  readonly json?: boolean;
}

const defaultStopSeconds = 10;

export function moveCommand(): Command {
  return new Command('move')
    .description('Move a tenant to another cell while it is in use, with its keys, tokens and log.')
    .requiredOption('--tenant <id>', 'tenant to move', parseTenant)
    .requiredOption('--to <file>', 'file with the settings of the other cell, a line for each')
    .addOption(
      new Option('--stop-max <seconds>', 'how long the tenant may be closed for the hand-over')
        .default(defaultStopSeconds)
        .argParser(wholeNumberFrom(1, 600)),
    )
    .addOption(new Option('--cancel', 'stay here, and remove what has arrived there').conflicts('finish'))
    .option('--finish', 'remove from here what has moved; needs --backup')
    .option('--backup <path>', 'a dump of the other cell, which is verified before anything is removed')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
PostgreSQL replicates the rows of the tenant. Both databases need an address of a superuser in STRONGROOM_ADMIN_DATABASE_URL,
and the source wal_level = logical. The command needs the root keys of both cells, and writes no key unwrapped.
If it is interrupted, run it again: it goes on where it stopped. Until the hand-over, --cancel undoes it.
Nothing is removed here before --finish. Then update the map of the router: \`strongroom cells\` prints it.`,
    )
    .action(async (flags: MoveFlags) => {
      const source = readCellConfig(processEnvironment());
      const target = readCellConfig(readSettingsFile(flags.to));
      const { withEnds } = await import('../app/moves/cell-end.ts');
      await withEnds({ source, target }, async (ends) => {
        if (flags.cancel === true) await cancel(ends, flags);
        else if (flags.finish === true) await finish(ends, flags);
        else await move(ends, flags);
      });
    });
}

async function move(ends: MoveEnds, { tenant, stopMax, json }: MoveFlags): Promise<void> {
  const { moveTenant } = await import('../app/moves/move-tenant.ts');
  await moveTenant(ends, {
    tenantId: tenant,
    stopSecondsMax: stopMax,
    signal: stopSignal(),
    onStep: (step) => (json === true ? printJson({ step }) : printText(`${step} …`)),
    say: (text) => {
      if (json !== true) printText(`  ${text}`);
    },
  });
  if (json === true) printJson({ tenant_id: tenant, cell: ends.target.name });
  else {
    printText(
      `Tenant ${tenant} is in the cell ${ends.target.name}. Update the map of the router (\`strongroom cells\`), make a backup of that ` +
        'cell, and run this command again with --finish.',
    );
  }
}

async function cancel(ends: MoveEnds, { tenant, json }: MoveFlags): Promise<void> {
  const { cancelMove } = await import('../app/moves/end-move.ts');
  const removed = await cancelMove(ends, tenant);
  if (json === true) printJson({ tenant_id: tenant, cell: ends.source.name, rows_removed: removed });
  else
    printText(`Tenant ${tenant} stays in the cell ${ends.source.name}. ${removed} rows were removed from the other.`);
}

async function finish(ends: MoveEnds, { tenant, backup, json }: MoveFlags): Promise<void> {
  if (backup === undefined)
    throw new Error('--finish needs --backup <path>: a dump of the other cell, made after the move.');
  const { finishMove } = await import('../app/moves/end-move.ts');
  const removed = await finishMove(ends, tenant, {
    dump: backup,
    sampleSize: undefined,
    unpackedBytesMax: undefined,
    searchPath: processEnvironment()['PATH'],
    signal: stopSignal(),
    onStep: (step) => {
      if (json !== true) printText(`${step} …`);
    },
    onProgress: () => undefined,
  });
  if (json === true) printJson({ tenant_id: tenant, cell: ends.target.name, rows_removed: removed });
  else printText(`${removed} rows of tenant ${tenant} were removed. It is in the cell ${ends.target.name} only.`);
}
