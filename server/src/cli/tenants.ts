import { Argument, Command } from 'commander';
import { removalTimeOf } from '../core/identity/deleted-tenant.ts';
import type { TenantId } from '../core/identity/ids.ts';
import { toOneLine } from '../core/text/one-line.ts';
import type { SwitchedSetting, TenantOverview, TenantOverviews, TenantSummary } from '../features/tenants/index.ts';
import { moveCommand } from './tenants-move.ts';
import { parseTenant } from './terminal/arguments.ts';
import { printJson, printText } from './terminal/output.ts';
import { toTable } from './terminal/text-table.ts';
import { withVault } from './terminal/with-vault.ts';

export function tenantsCommand(): Command {
  return new Command('tenants')
    .description(
      'List tenants, show one with its members, restore one that was deleted, move one to another cell, and turn settings on or off.',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(restoreCommand())
    .addCommand(moveCommand())
    .addCommand(
      switchCommand('approve-plaintext', 'approve_plaintext', {
        state: 'whether a second owner or admin has to approve',
        help: 'Use this if a tenant demands approvals, but nobody is left who can give them.',
      }),
    )
    .addCommand(
      switchCommand('require-openid', 'require_openid', {
        state: 'whether members have to sign in at the OpenID provider',
        help: 'Use this if the members of a tenant can no longer sign in at the provider.',
      }),
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('List all tenants with their owners, oldest first.')
    .option('--json', 'print the list as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const tenants = await withOverviews((overviews) => overviews.list());
      if (json === true) printJson({ tenants: tenants.map(toTenantJson) });
      else printText(describeTenants(tenants));
    });
}

function showCommand(): Command {
  return new Command('show')
    .description('Show a tenant: settings, members, and how many applications and tokens it has.')
    .requiredOption('--tenant <id>', 'tenant to show', parseTenant)
    .option('--json', 'print the tenant as JSON')
    .addHelpText('after', '\nNothing that the tenant stores is shown. It is recorded in its audit log.')
    .action(async ({ tenant, json }: { tenant: TenantId; json?: boolean }) => {
      const overview = await withOverviews((overviews) => overviews.get(tenant));
      if (json === true) printJson(toOverviewJson(overview));
      else printText(describeOverview(overview));
    });
}

function restoreCommand(): Command {
  return new Command('restore')
    .description('Restore a tenant that was deleted within the last seven days.')
    .requiredOption('--tenant <id>', 'tenant to restore', parseTenant)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nIts keys and members work again within a second. It is recorded in its audit log.')
    .action(async ({ tenant, json }: { tenant: TenantId; json?: boolean }) => {
      await withVault(async ({ database }) => {
        const { TenantDeletion } = await import('../features/tenants/index.ts');
        await new TenantDeletion(database).restoreByOperator(tenant);
      });
      if (json === true) printJson({ id: tenant, restored: true });
      else printText(`Tenant ${tenant} is restored. Its keys work again.`);
    });
}

/** Returns a command for a setting that an operator can turn off if it has shut out everybody else. */
function switchCommand(
  command: string,
  setting: SwitchedSetting,
  words: { readonly state: string; readonly help: string },
): Command {
  return new Command(command)
    .description(`Turn the setting ${setting} of a tenant on or off.`)
    .addArgument(new Argument('<state>', words.state).choices(['on', 'off']))
    .requiredOption('--tenant <id>', 'tenant to change', parseTenant)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', `\n${words.help} It is recorded in its audit log.`)
    .action(async (state: string, { tenant, json }: { tenant: TenantId; json?: boolean }) => {
      await withVault(async ({ database }) => {
        const { SettingSwitch } = await import('../features/tenants/index.ts');
        await new SettingSwitch(database).turn(tenant, setting, state === 'on');
      });
      if (json === true) printJson({ tenant_id: tenant, [setting]: String(state === 'on') });
      else printText(`${setting} is ${state} for tenant ${tenant}.`);
    });
}

function withOverviews<T>(work: (overviews: TenantOverviews) => Promise<T>): Promise<T> {
  return withVault(async ({ database }) => {
    const { TenantOverviews } = await import('../features/tenants/index.ts');
    return work(new TenantOverviews(database));
  });
}

function describeTenants(tenants: readonly TenantSummary[]): string {
  if (tenants.length === 0) return 'None. `strongroom bootstrap` creates one.';
  const hasDeleted = tenants.some(({ deletedAt }) => deletedAt !== null);
  return toTable(
    ['ID', 'TYPE', 'CREATED', 'OWNER', ...(hasDeleted ? ['REMOVED'] : []), 'NAME'],
    tenants.map(({ id, type, createdAt, ownerEmail, deletedAt, name }) => [
      id,
      type,
      createdAt.toISOString(),
      ownerEmail ?? '-',
      ...(hasDeleted ? [describeRemoval(deletedAt)] : []),
      name,
    ]),
  );
}

/** Returns the time when a deleted tenant is removed, or a dash for any other tenant. */
function describeRemoval(deletedAt: Date | null): string {
  return deletedAt === null ? '-' : removalTimeOf(deletedAt).toISOString();
}

function toTenantJson({ id, name, type, createdAt, ownerEmail, deletedAt }: TenantSummary) {
  return { id, name, type, created_at: createdAt.toISOString(), owner_email: ownerEmail, ...toDeletionJson(deletedAt) };
}

function toDeletionJson(deletedAt: Date | null) {
  if (deletedAt === null) return {};
  return { deleted_at: deletedAt.toISOString(), removed_at: removalTimeOf(deletedAt).toISOString() };
}

function describeOverview({ tenant, members, applications, tokens }: TenantOverview): string {
  const settings = Object.entries(tenant.settings).map(([name, value]) => `${name}=${value}`);
  const facts: [string, string][] = [
    ['Id', tenant.id],
    ['Name', tenant.name],
    ['Type', tenant.type],
    ['Created', tenant.createdAt.toISOString()],
    ...(tenant.deletedAt === null ? [] : [['Removed', describeRemoval(tenant.deletedAt)] as [string, string]]),
    ['Settings', settings.join(', ') || 'none'],
    ['Applications', String(applications)],
    ['Tokens', tokens.map(({ type, count }) => `${count} ${type}`).join(', ') || 'none'],
  ];
  const people = toTable(
    ['MEMBER', 'ROLE', 'SINCE', 'E-MAIL'],
    members.map(({ id, role, createdAt, email }) => [id, role, createdAt.toISOString(), email ?? '-']),
  );
  return `${facts.map(([name, value]) => `${name.padEnd(14)}${toOneLine(value)}`).join('\n')}\n\n${people}`;
}

function toOverviewJson({ tenant, members, applications, tokens }: TenantOverview) {
  return {
    id: tenant.id,
    name: tenant.name,
    type: tenant.type,
    settings: tenant.settings,
    created_at: tenant.createdAt.toISOString(),
    ...toDeletionJson(tenant.deletedAt),
    applications,
    tokens: Object.fromEntries(tokens.map(({ type, count }) => [type, count])),
    members: members.map(({ id, userId, role, email, createdAt }) => ({
      id,
      user_id: userId,
      role,
      email,
      created_at: createdAt.toISOString(),
    })),
  };
}
