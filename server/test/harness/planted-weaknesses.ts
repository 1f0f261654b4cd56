import { chmod, writeFile } from 'node:fs/promises';
import { rotateDataKey } from '../../src/features/keys/index.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { createApplication } from './test-application.ts';
import { sealAll, signerOf } from './sealed-log.ts';
import type { TestTenant, TestVault } from './test-vault.ts';

/** A weakness of a vault: the fact that must name it, and how it comes about. */
export interface PlantedWeakness {
  readonly fact: string;
  /** Returns the id that the fact must name, if it names any. */
  readonly plant: (vault: TestVault, tenant: TestTenant) => Promise<string | undefined>;
}

/**
 * The facts that tests of this kind always find: PostgreSQL does not wait for its disk, and the root key is a setting.
 * Settings of the command add the anchor and the streams.
 */
export const surroundings = [
  'fsync',
  'full-page-writes',
  'synchronous-commit',
  'root-key-place',
  'log-anchored',
  'log-streams',
];

const own = (vault: TestVault, text: string, values: readonly unknown[] = []) =>
  vault.database.owner.query(text, [...values]);
const uuid = () => crypto.randomUUID();

/** Leaves a tenant with one application that sees masked tokens, and members with a passkey. */
export async function makeSound(vault: TestVault, tenant: TestTenant): Promise<void> {
  const rules = [
    { description: '', priority: 1, container: '/', transform: 'mask', permissions: ['token:read', 'token:search'] },
  ];
  const { id } = await createApplication(vault, tenant, { permissions: undefined, rules });
  await own(vault, 'delete from applications where tenant_id = $1 and id <> $2', [tenant.id, id]);
  const { rows } = await own(vault, 'select user_id from members where tenant_id = $1', [tenant.id]);
  for (const { user_id: user } of rows as { user_id: string }[]) await addPasskey(vault, user);
  await addMember(vault, tenant, { passkey: true, joinedDays: 1 });
}

async function addPasskey(vault: TestVault, user: string): Promise<void> {
  await own(
    vault,
    `insert into user_passkeys (user_id, id, public_key, sign_count, transports) values ($1, $2, '\\x02', 0, '{}')`,
    [user, Buffer.from(user)],
  );
}

async function addMember(
  vault: TestVault,
  tenant: TestTenant,
  { passkey, joinedDays }: { readonly passkey: boolean; readonly joinedDays: number },
): Promise<string> {
  const [user, member] = [uuid(), uuid()];
  await own(vault, 'insert into users (id, email) values ($1, $2)', [user, `${user}@example.com`]);
  if (passkey) await addPasskey(vault, user);
  await own(
    vault,
    `insert into members (tenant_id, id, user_id, role, created_at)
      values ($1, $2, $3, 'READ_ONLY', now() - make_interval(days => $4))`,
    [tenant.id, member, user, joinedDays],
  );
  return member;
}

async function makeApplication(vault: TestVault, tenant: TestTenant, type: string, more: string): Promise<string> {
  const id = uuid();
  await own(
    vault,
    `insert into applications (tenant_id, id, name, type, permissions, rules, allowed_destinations)
      select $1, $2, 'planted', $3, ${more}`,
    [tenant.id, id, type],
  );
  return id;
}

const reading = `jsonb_build_array(jsonb_build_object('description', '', 'priority', 1, 'container', '/', 'transform', 'mask',
  'permissions', jsonb_build_array('token:read')))`;

/** Every weakness that can be planted in one database. */
export const plantedWeaknesses: readonly PlantedWeakness[] = [
  {
    fact: 'expired-tokens',
    plant: async (vault, tenant) => {
      await own(
        vault,
        `insert into tokens (tenant_id, id, type, data, containers, shelf, created_by, expires_at, expires_at_offset_minutes)
          values ($1, 'expired', 'token', '\\x00', '{/general/}', 'token', $2, now() - interval '3 hours', 0)`,
        [tenant.id, uuid()],
      );
      return tenant.id;
    },
  },
  {
    fact: 'tokens-past-retention',
    plant: async (vault, tenant) => {
      const id = uuid();
      await own(
        vault,
        `insert into retention_rules (tenant_id, id, keep_for_days, effective_at) values ($1, $2, 30, now() - interval '3 hours')`,
        [tenant.id, id],
      );
      await own(
        vault,
        `with counted as (
            insert into token_counts (tenant_id, type, containers, slot, tokens) values ($1, 'token', '{/old/}', 0, 1))
          insert into tokens (tenant_id, id, type, data, containers, shelf, created_by, created_at)
          values ($1, 'kept-too-long', 'token', '\\x00', '{/old/}', 'token /old/', $2, now() - interval '31 days')`,
        [tenant.id, id],
      );
      await own(vault, `insert into retention_sweeps (tenant_id, swept_at) values ($1, now())`, [tenant.id]);
      return tenant.id;
    },
  },
  {
    fact: 'retention-sweeps',
    plant: async (vault, tenant) => {
      await own(
        vault,
        `insert into retention_rules (tenant_id, id, keep_for_days, effective_at) values ($1, $2, 30, now() - interval '9 hours')`,
        [tenant.id, uuid()],
      );
      await own(
        vault,
        `insert into retention_sweeps (tenant_id, swept_at) values ($1, now() - interval '9 hours')
          on conflict (tenant_id) do update set swept_at = excluded.swept_at`,
        [tenant.id],
      );
      return tenant.id;
    },
  },
  {
    fact: 'stale-codes',
    plant: async (vault, tenant) => {
      await own(
        vault,
        `insert into token_cvcs (tenant_id, token_id, token_version, sealed, expires_at)
          values ($1, 'old', 1, '\\x00', now() - interval '2 hours')`,
        [tenant.id],
      );
      return tenant.id;
    },
  },
  {
    fact: 'deleted-tenants',
    plant: async (vault) => {
      await own(
        vault,
        `insert into tenants (id, name, type, deleted_at) values ($1, 'Gone', 'test', now() - interval '9 days')`,
        [uuid()],
      );
      return undefined;
    },
  },
  {
    fact: 'indirect-access',
    plant: (vault, tenant) =>
      makeApplication(vault, tenant, 'management', `'{application:create,application:update}', '[]', null`),
  },
  {
    fact: 'guessing',
    plant: (vault, tenant) => makeApplication(vault, tenant, 'private', `'{token:create}', ${reading}, null`),
  },
  {
    fact: 'approval',
    plant: async (vault, tenant) => {
      await own(vault, `update tenants set type = 'production' where id = $1`, [tenant.id]);
      return tenant.id;
    },
  },
  {
    fact: 'exports',
    plant: async (vault, tenant) => {
      const id = uuid();
      await own(
        vault,
        `insert into token_exports (tenant_id, id, recipient_kind, recipient, fingerprint, requested_from, approvals_needed,
            expires_at, started_at, finished_at, tokens)
          values ($1, $2, 'age', 'age1', 'x', 'someone@host', 2, now() + interval '1 day', now() - interval '1 hour', now(), 7)`,
        [tenant.id, id],
      );
      return id;
    },
  },
  {
    fact: 'any-page',
    plant: (vault, tenant) => makeApplication(vault, tenant, 'public', `'{token:create}', '[]', null`),
  },
  {
    fact: 'any-destination',
    plant: (vault, tenant) => makeApplication(vault, tenant, 'private', `'{token:use}', '[]', null`),
  },
  {
    fact: 'open-proxies',
    plant: async (vault, tenant) => {
      const id = uuid();
      await own(
        vault,
        `insert into stored_proxies (tenant_id, id, key_hash, name, destination_url, require_auth, application_id,
            request_transforms, response_transforms, disable_detokenization, secrets_sealed)
          values ($1, $2, '\\x01', 'planted', 'https://example.com/', false, $2, '[]', '[]', false, '\\x00')`,
        [tenant.id, id],
      );
      return id;
    },
  },
  {
    fact: 'overdue-data-keys',
    plant: async (vault, tenant) => {
      await rotateDataKey(vault.server.core, parseTenantId(tenant.id));
      await rotateDataKey(vault.server.core, parseTenantId(tenant.id));
      await own(
        vault,
        `update tenant_keys set created_at = now() - interval '400 days' where tenant_id = $1 and purpose = 'data'`,
        [tenant.id],
      );
      return 'data 3';
    },
  },
  // The rotations above left these two behind.
  { fact: 'unfinished-rotations', plant: async () => 'data 2' },
  {
    fact: 'closed-keys',
    plant: async (vault, tenant) => {
      await own(
        vault,
        `update tenant_keys set closed_at = now() - interval '40 days'
          where tenant_id = $1 and purpose = 'data' and version = 1`,
        [tenant.id],
      );
      return 'data 1';
    },
  },
  {
    fact: 'root-key-age',
    plant: async (vault) => {
      await own(vault, `update system_keys set created_at = now() - interval '400 days', wrapped_at = null`);
      return undefined;
    },
  },
  {
    fact: 'members-without-a-factor',
    plant: (vault, tenant) => addMember(vault, tenant, { passkey: false, joinedDays: 2 }),
  },
  {
    fact: 'unused-members',
    plant: (vault, tenant) => addMember(vault, tenant, { passkey: true, joinedDays: 100 }),
  },
  {
    fact: 'unused-keys',
    plant: (vault, tenant) => addKey(vault, tenant, `now() - interval '100 days', null`),
  },
  {
    fact: 'old-keys',
    plant: (vault, tenant) => addKey(vault, tenant, `now() - interval '400 days', now()`),
  },
  {
    fact: 'failed-jobs',
    plant: async (vault, tenant) => {
      await own(
        vault,
        `insert into pgboss.job_common (name, data, source_name) values ('dead-letters', $1, 'deliver-webhook')`,
        [JSON.stringify({ tenant_id: tenant.id })],
      );
      return tenant.id;
    },
  },
  {
    fact: 'late-jobs',
    plant: async (vault) => {
      await own(
        vault,
        `insert into pgboss.job_common (name, data, start_after)
          values ('stream-log', '{"stream":"siem"}', now() - interval '2 hours')`,
      );
      return undefined;
    },
  },
  {
    fact: 'failing-webhooks',
    plant: async (vault, tenant) => {
      const id = uuid();
      await own(
        vault,
        `insert into webhooks (tenant_id, id, name, url, events, secrets_sealed)
          values ($1, $2, 'planted', 'https://example.com/', '{token.created}', '\\x00')`,
        [tenant.id, id],
      );
      await own(
        vault,
        `insert into webhook_positions (tenant_id, webhook_id, position, failing_since, failures)
          values ($1, $2, 0, now() - interval '7 days', 99)`,
        [tenant.id, id],
      );
      return id;
    },
  },
  {
    fact: 'unacknowledged-alerts',
    plant: async (vault, tenant) => {
      await addRecord(vault, tenant, { operation: 'alert', ageMinutes: 8 * 24 * 60 });
      await sealAll(vault.database, signerOf(vault.server));
      return tenant.id;
    },
  },
  {
    fact: 'log-verified',
    plant: async (vault, tenant) => {
      await own(
        vault,
        `delete from audit_records where id = (select id from audit_records where tenant_id = $1 and operation = 'create'
          order by created_at limit 1)`,
        [tenant.id],
      );
      return tenant.id;
    },
  },
  {
    fact: 'unsealed-records',
    plant: async (vault, tenant) => {
      await addRecord(vault, tenant, { operation: 'read', ageMinutes: 30 });
      return tenant.id;
    },
  },
  {
    fact: 'row-level-security',
    plant: async (vault) => {
      await own(vault, 'alter table webhooks no force row level security');
      return undefined;
    },
  },
  {
    fact: 'database-role',
    plant: async (vault) => {
      await own(vault, 'create table planted (id integer)');
      await own(vault, 'grant create on schema public to strongroom_app');
      await own(vault, 'alter table planted owner to strongroom_app');
      return undefined;
    },
  },
];

/** Weaknesses of the settings with which the command runs. */
export const weakSettings = ['secret-files', 'log-retention', 'release'];

/** Writes a file with a secret that everybody can read, and returns the settings that name it. */
export async function exposeSecretFile(file: string): Promise<Record<string, string>> {
  await writeFile(file, 'secret');
  await chmod(file, 0o644);
  return { STRONGROOM_ROOT_KEY_FILE: file };
}

async function addKey(vault: TestVault, tenant: TestTenant, times: string): Promise<string> {
  const id = uuid();
  await own(
    vault,
    `insert into application_keys (tenant_id, id, application_id, version, secret_hash, created_at, last_used_at)
      select $1, $2, a.id, 1, '\\x00', ${times} from applications a
      where a.tenant_id = $1 and a.name = 'Test' limit 1`,
    [tenant.id, id],
  );
  return id;
}

/** Early in a month, records of a few days ago belong to the month before, which a new vault has no partition for. */
const lastMonth = `do $$ begin
  execute format('create table audit_records_planted partition of audit_records for values from (%L) to (%L)',
    date_trunc('month', now(), 'UTC') - interval '1 month', date_trunc('month', now(), 'UTC'));
exception when others then null;
end $$`;

async function addRecord(
  vault: TestVault,
  tenant: TestTenant,
  { operation, ageMinutes }: { readonly operation: string; readonly ageMinutes: number },
): Promise<void> {
  await own(vault, lastMonth);
  await own(
    vault,
    `insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome, actor_type, details)
      values ($1, now() - make_interval(mins => $4), 'key', $2, $3, 'success', 'system', '{"rule":"misses"}')`,
    [tenant.id, uuid(), operation, ageMinutes],
  );
}
