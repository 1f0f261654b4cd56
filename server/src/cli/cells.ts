import { Argument, Command, Option } from 'commander';
import type { DescribedCell, DescribedCells } from '../app/moves/describe-cells.ts';
import { processEnvironment, readCellConfig } from '../platform/config/config.ts';
import { readSettingsFile } from '../platform/config/settings-file.ts';
import { printJson, printText } from './terminal/output.ts';
import { toTable } from './terminal/text-table.ts';

type MapName = 'cells' | 'moved';

export function cellsCommand(): Command {
  return new Command('cells')
    .description('Show cells side by side, and print the maps that a router needs.')
    .addArgument(new Argument('[files...]', 'files with the settings of the cells; this one if there are none'))
    .addOption(
      new Option('--map <name>', 'print only a map: of the names of cells, or of keys that have moved').choices([
        'cells',
        'moved',
      ]),
    )
    .option('--json', 'print everything as JSON')
    .addHelpText(
      'after',
      `
A line of the map of moved keys has the 22 characters of a key that encode its id, and its cell. They are not secret.
Name the files of all cells, so that a tenant that has moved twice is found.`,
    )
    .action(async (files: readonly string[], { map, json }: { map?: MapName; json?: boolean }) => {
      const environments = files.length === 0 ? [processEnvironment()] : files.map(readSettingsFile);
      const { describeCells } = await import('../app/moves/describe-cells.ts');
      const described = await describeCells(environments.map((environment) => readCellConfig(environment)));
      if (json === true) printJson(toJson(described));
      else printText(map === undefined ? toText(described) : toMap(described, map));
    });
}

function toMap({ cells, movedKeys }: DescribedCells, map: MapName): string {
  const lines = map === 'cells' ? cells.map(({ name }) => [name, name] as const) : [...movedKeys];
  return lines.map((line) => line.join(' ')).join('\n');
}

function toText(described: DescribedCells): string {
  const table = toTable(
    ['CELL', 'SCHEMA', 'TENANTS', 'TOKENS', 'PER DAY', 'SIZE', 'WAL ARCHIVED'],
    described.cells.map(({ name, summary }) => [
      name,
      String(summary.schema),
      String(summary.tenants),
      String(summary.tokens),
      summary.tokensPerDay.toFixed(0),
      `${(summary.bytes / 1024 ** 2).toFixed(0)} MiB`,
      summary.archivedAt?.toISOString() ?? '-',
    ]),
  );
  return `${table}\n\n# cells.map\n${toMap(described, 'cells')}\n\n# moved.map\n${toMap(described, 'moved')}`.trimEnd();
}

function toJson({ cells, movedKeys }: DescribedCells) {
  return { cells: cells.map(toCellJson), moved_keys: Object.fromEntries(movedKeys) };
}

function toCellJson({ name, summary }: DescribedCell) {
  return {
    name,
    schema_version: summary.schema,
    tenants: summary.tenants,
    tokens: summary.tokens,
    tokens_per_day: summary.tokensPerDay,
    database_bytes: summary.bytes,
    wal_archived_at: summary.archivedAt?.toISOString() ?? null,
  };
}
