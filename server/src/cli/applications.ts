import { Command } from 'commander';
import { type ApplicationId, type TenantId, toId } from '../core/identity/ids.ts';
import type { ApplicationRecovery, IssuedKey, UsedApplication } from '../features/applications/index.ts';
import { parseName, parseTenant, parseUuid } from './terminal/arguments.ts';
import { printJson, printText } from './terminal/output.ts';
import { toTable } from './terminal/text-table.ts';
import { withVault } from './terminal/with-vault.ts';

interface TenantFlags {
  readonly tenant: TenantId;
  readonly json?: boolean;
}

export function applicationsCommand(): Command {
  return new Command('applications')
    .description('List applications, and issue a management key for a tenant that has lost its own.')
    .addCommand(listCommand())
    .addCommand(createCommand())
    .addCommand(keyCommand())
    .addHelpText(
      'after',
      `
With a management key, the API does everything else: POST /applications, POST /applications/{id}/keys.
What these commands do is recorded in the tenant's audit log, with the actor type "system".`,
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('List the applications of a tenant with their keys.')
    .requiredOption('--tenant <id>', 'tenant of the applications', parseTenant)
    .option('--json', 'print the list as JSON')
    .action(async ({ tenant, json }: TenantFlags) => {
      const listed = await withRecovery((recovery) => recovery.list(tenant));
      if (json === true) printJson({ applications: listed.map(toApplicationJson) });
      else printText(describeApplications(listed));
    });
}

function createCommand(): Command {
  return new Command('create')
    .description('Create a management application with every management permission, and print its key once.')
    .requiredOption('--tenant <id>', 'tenant of the new application', parseTenant)
    .option('--name <name>', 'name of the new application', parseName, 'Management')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Use it if a tenant has no management application left. If it has one, \`strongroom applications key\` issues another key.`,
    )
    .action(async ({ tenant, name, json }: TenantFlags & { readonly name: string }) => {
      const issued = await withRecovery((recovery) => recovery.create(tenant, name));
      if (json === true) printJson(toKeyJson(issued));
      else printText(`Application ${issued.applicationId} is ready. ${describeKey(issued)}`);
    });
}

interface KeyFlags extends TenantFlags {
  readonly application: string;
  readonly revokeOthers?: boolean;
}

function keyCommand(): Command {
  return new Command('key')
    .description('Issue another key for a management application, and print it once.')
    .requiredOption('--tenant <id>', 'tenant of the application', parseTenant)
    .requiredOption('--application <id>', 'id of the application', parseUuid)
    .option('--revoke-others', 'revoke all other keys of the application; they stop working at once')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Without --revoke-others, a lost key keeps working: delete it with DELETE /applications/{id}/keys/{key_id} once the new key is in use.`,
    )
    .action(async ({ tenant, application, revokeOthers = false, json }: KeyFlags) => {
      const id = toId<ApplicationId>(application);
      const issued = await withRecovery((recovery) => recovery.issueKey(tenant, id, { revokesOthers: revokeOthers }));
      const revoked = issued.revoked.length === 0 ? '' : `Keys revoked: ${issued.revoked.length}. `;
      if (json === true) printJson(toKeyJson(issued));
      else printText(`Application ${issued.applicationId} has another key. ${revoked}${describeKey(issued)}`);
    });
}

function withRecovery<T>(work: (recovery: ApplicationRecovery) => Promise<T>): Promise<T> {
  return withVault(async (core) => {
    const { ApplicationRecovery } = await import('../features/applications/index.ts');
    return work(new ApplicationRecovery(core));
  });
}

function describeKey({ text }: IssuedKey): string {
  return `Its management key, which is not shown again:\n\n  ${text}\n`;
}

function toKeyJson({ applicationId, keyId, text, revoked }: IssuedKey) {
  return { application_id: applicationId, key_id: keyId, key: text, revoked_key_ids: revoked };
}

function describeApplications(listed: readonly UsedApplication[]): string {
  if (listed.length === 0) return 'None. `strongroom applications create` creates a management application.';
  return toTable(
    ['ID', 'TYPE', 'KEYS', 'LAST USED', 'EXPIRES', 'NAME'],
    listed.map(({ application: { id, type, expiresAt, name }, keys: { count, lastUsedAt } }) => [
      id,
      type,
      String(count),
      lastUsedAt?.toISOString() ?? '-',
      expiresAt?.toISOString() ?? '-',
      name,
    ]),
  );
}

function toApplicationJson({ application, keys }: UsedApplication) {
  const { id, name, type, permissions, rules, expiresAt, grantLimit, createdAt } = application;
  return {
    id,
    name,
    type,
    permissions,
    rules: rules.length,
    has_grant_limit: grantLimit !== null,
    keys: keys.count,
    last_used_at: keys.lastUsedAt?.toISOString() ?? null,
    expires_at: expiresAt?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  };
}
