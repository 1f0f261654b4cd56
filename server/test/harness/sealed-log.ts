import { randomBytes, randomUUID } from 'node:crypto';
import type { AuditSigner } from '../../src/platform/keyring/sealing/audit-signer.ts';
import { FacetKeeper } from '../../src/platform/audit/record/facet-keeper.ts';
import { Sealer } from '../../src/platform/audit/seal/sealer.ts';
import type { VaultServer } from '../../src/app/serve/vault-server.ts';
import { untilTrue } from './deadline.ts';
import type { TestDatabase } from './test-database.ts';

/** Seals and counts every committed record, as a worker does. Returns the number of records. */
export async function sealAll(database: TestDatabase, signer: AuditSigner): Promise<number> {
  const sealer = new Sealer({ database: database.open(), signer });
  let sealed = 0;
  await untilSealable(database);
  for (;;) {
    const pass = await sealer.seal();
    sealed += pass.sealed;
    if (!pass.isFull) break;
  }
  const facets = new FacetKeeper(database.open());
  while ((await facets.keep()).isFull);
  return sealed;
}

/**
 * Waits until one pass can seal every committed record. A transaction in another test's database also holds the sealer
 * back, because transactions are numbered per server.
 */
export async function untilSealable(database: TestDatabase): Promise<void> {
  await untilTrue(
    async () => {
      const { rows } = await database.owner.query<{ isFree: boolean }>(
        `select coalesce(max(sealing_order) < audit_order(pg_snapshot_xmin(pg_current_snapshot())), true) as "isFree"
          from audit_records`,
      );
      return rows[0]?.isFree === true;
    },
    { waitingFor: 'transactions of other tests to end' },
  );
}

/** Runs one pass, which seals the records that can be sealed at this moment. */
export async function sealOnce(database: TestDatabase, signer: AuditSigner): Promise<number> {
  const { sealed } = await new Sealer({ database: database.open(), signer }).seal();
  return sealed;
}

export function signerOf(server: VaultServer): AuditSigner {
  return server.core.systemKeys.auditSigner();
}

/**
 * Fills a tenant's log without a server: `count` records over the last `days` days, with `perTransaction`
 * records in each transaction.
 */
export async function fillLog(
  database: TestDatabase,
  options: { tenantId: string; count: number; days?: number; perTransaction?: number },
): Promise<void> {
  const { tenantId, count, days = 0.01, perTransaction = 20 } = options;
  await database.owner.query(
    `do $$ begin
      for start_at in 1 .. ${count} by ${perTransaction} loop
        insert into audit_records (tenant_id, created_at, entity_type, entity_id, operation, outcome,
          actor_id, actor_type, key_id, request_id, source_address, containers)
        select '${tenantId}', now() - make_interval(secs => ${days} * 86400 * (1 - n / ${count}.0)),
          (array['token', 'card', 'bank', 'application'])[1 + n % 4], 'entity-' || n % 1000,
          (array['create', 'read', 'read', 'update'])[1 + n % 4], 'success', '${randomUUID()}', 'application',
          '${randomUUID()}', 'request ' || n, '127.0.0.1', case when n % 3 = 0 then array['/general/', '/pci/' || n % 7 || '/'] end
        from generate_series(start_at, least(start_at + ${perTransaction} - 1, ${count})) n;
        commit;
      end loop;
    end $$`,
  );
}

/**
 * Returns text that is hard to encode: quotes, control characters, and characters that JSON does and does not escape.
 */
export function hardText(): string {
  const pieces = [
    '"',
    '\\',
    '\n',
    '\u0001',
    '\u001f',
    '\u007f',
    '\u2028',
    'ü',
    '💳',
    '</script>',
    '{{',
    ', ',
    randomBytes(4).toString('hex'),
  ];
  return Array.from({ length: 12 }, () => pieces[Math.floor(Math.random() * pieces.length)]).join('');
}
