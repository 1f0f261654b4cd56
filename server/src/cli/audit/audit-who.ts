import { Command, InvalidArgumentError, Option } from 'commander';
import { parseContainer } from '../../core/access/container.ts';
import type { TenantId } from '../../core/identity/ids.ts';
import type { Onlookers } from '../../features/explain/index.ts';
import { processEnvironment, readVaultConfig } from '../../platform/config/config.ts';
import { parseTenant } from '../terminal/arguments.ts';
import { printJson, printText } from '../terminal/output.ts';
import { toTable } from '../terminal/text-table.ts';

interface WhoFlags {
  readonly tenant: TenantId;
  readonly token?: string;
  readonly container?: string;
  readonly json?: boolean;
}

export function whoCommand(): Command {
  return new Command('who')
    .description('Say who can see a token or a container, whether or not they have.')
    .requiredOption('--tenant <id>', 'tenant of the token', parseTenant)
    .addOption(new Option('--token <id>', 'a token').conflicts('container'))
    .addOption(new Option('--container <path>', 'a container such as /pci/').argParser(parsePath))
    .option('--json', 'print the list as JSON')
    .addHelpText(
      'after',
      `
Lists applications, live sessions, members and pending invitations with the most that each can see. A container stands for
everything in it and below. Members see tokens masked when they are signed in. Roundabout ways count: who creates applications or
members, approves exports, sets masks, or holds an invitation to do so can see plaintext.`,
    )
    .action(async ({ tenant, token, container, json }: WhoFlags) => {
      if (token === undefined && container === undefined) throw new Error('Name one of --token and --container.');
      const target = container === undefined ? { token: token ?? '' } : { container };
      const config = readVaultConfig(processEnvironment());
      const { findOnlookers } = await import('../../app/operations/find-onlookers.ts');
      const { toWhoView } = await import('../../features/explain/index.ts');
      const found = await findOnlookers(config, tenant, target);
      if (json === true) printJson(toWhoView(found));
      else printText(describeOnlookers(found));
    });
}

function describeOnlookers({ applications, members, invitations, sessions }: Onlookers): string {
  const rows = [
    ...applications.map((one) => ({ ...one, who: `${one.type} application`, name: one.name })),
    ...members.map((one) => ({ ...one, who: 'member', name: one.role })),
    ...invitations.map((one) => ({
      ...one,
      who: 'invitation',
      name: `${one.role} until ${one.expiresAt.toISOString()}`,
    })),
    ...sessions.map((one) => ({ ...one, who: 'session', name: `until ${one.expiresAt.toISOString()}` })),
  ];
  if (rows.length === 0) return 'Nobody.';
  return toTable(
    ['SEES', 'WHO', 'ID', 'WAYS', 'NAME'],
    rows.map(({ transform, who, id = '-', ways, name }) => [views[transform], who, id, toText(ways), name]),
  );
}

const views = { reveal: 'plaintext', mask: 'masked', redact: 'no data' } as const;

function toText(ways: Onlookers['members'][number]['ways']): string {
  return ways.map(({ way, transform }) => `${way}=${transform}`).join(',');
}

function parsePath(text: string): string {
  const container = parseContainer(text);
  if (container === undefined) throw new InvalidArgumentError('It must start and end with a slash.');
  return container;
}
