import { Command } from 'commander';
import type { TenantId } from '../core/identity/ids.ts';
import { toOneLine } from '../core/text/one-line.ts';
import type { TenantOverview, TenantOverviews, TenantSummary } from '../features/tenants/index.ts';
import { parseTenant } from './arguments.ts';
import { printJson, printText } from './output.ts';
import { toTable } from './text-table.ts';
import { withVault } from './with-vault.ts';

export function tenantsCommand(): Command {
  return new Command('tenants')
    .description('List tenants, and show one with its members.')
    .addCommand(listCommand())
    .addCommand(showCommand());
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

function withOverviews<T>(work: (overviews: TenantOverviews) => Promise<T>): Promise<T> {
  return withVault(async ({ database }) => {
    const { TenantOverviews } = await import('../features/tenants/index.ts');
    return work(new TenantOverviews(database));
  });
}

function describeTenants(tenants: readonly TenantSummary[]): string {
  if (tenants.length === 0) return 'None. `strongroom bootstrap` creates one.';
  return toTable(
    ['ID', 'TYPE', 'CREATED', 'OWNER', 'NAME'],
    tenants.map(({ id, type, createdAt, ownerEmail, name }) => [
      id,
      type,
      createdAt.toISOString(),
      ownerEmail ?? '-',
      name,
    ]),
  );
}

function toTenantJson({ id, name, type, createdAt, ownerEmail }: TenantSummary) {
  return { id, name, type, created_at: createdAt.toISOString(), owner_email: ownerEmail };
}

function describeOverview({ tenant, members, applications, tokens }: TenantOverview): string {
  const settings = Object.entries(tenant.settings).map(([name, value]) => `${name}=${value}`);
  const facts: [string, string][] = [
    ['Id', tenant.id],
    ['Name', tenant.name],
    ['Type', tenant.type],
    ['Created', tenant.createdAt.toISOString()],
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
