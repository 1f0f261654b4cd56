import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EvidenceOrder, readFacts } from '../../src/app/evidence/take-evidence.ts';
import type { Fact } from '../../src/core/evidence/fact.ts';
import { parseTenantId } from '../../src/core/identity/ids.ts';
import { toCheckpointJson } from '../../src/platform/audit/seal/checkpoint.ts';
import { LogReader } from '../../src/platform/audit/verify/log-reader.ts';
import type { FileStreamConfig } from '../../src/platform/config/log-stream-config.ts';
import { evidenceOrder } from '../harness/evidence-order.ts';
import { sealAll, signerOf } from '../harness/sealed-log.ts';
import { type TestTenant, TestVault } from '../harness/test-vault.ts';

/*
 * Attacks on an assessor by whoever runs the vault, or by a vault that says more than it has looked at. An empty anchor
 * agreed with every log. Turning approvals off was no change of rights. A proxy that accepted calls from every network
 * demanded a network. A stream of one tenant had everything of all.
 */
let vault: TestVault;
let tenant: TestTenant;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'strongroom-misleading-'));
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  await seal();
});
afterAll(async () => {
  await vault.stop();
  await rm(directory, { recursive: true });
});

const seal = () => sealAll(vault.database, signerOf(vault.server));
const only = () => parseTenantId(tenant.id);
const own = (text: string, values: readonly unknown[] = []) => vault.database.owner.query(text, [...values]);

async function factOf(id: string, asked: Partial<EvidenceOrder> = {}): Promise<Fact> {
  // The period ends after the records that a test has just caused.
  const period = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 3_600_000) };
  const facts = await readFacts(evidenceOrder(vault, { tenantId: only(), period, ...asked }));
  const fact = facts.find(({ definition }) => definition.id === id);
  if (fact === undefined) throw new Error(`There is no fact ${id}.`);
  return fact;
}

function withAudit(changed: Partial<EvidenceOrder['config']['audit']>): Pick<EvidenceOrder, 'config'> {
  const { config } = evidenceOrder(vault);
  return { config: { ...config, audit: { ...config.audit, ...changed } } };
}

describe('an anchor', () => {
  it('that is empty, has stopped or is of another vault does not agree with the log', async () => {
    const file = path.join(directory, 'anchor');
    const { config } = withAudit({ anchorFile: file });
    const reader = new LogReader(vault.database.open());
    const first = await reader.newestCheckpoint(tenant.id);
    await own(`update tenants set name = name where id = $1`, [tenant.id]);
    await vault.request('POST', '/tokens', { key: tenant.keys.private, body: { type: 'token', data: 'x' } });
    await seal();
    const newest = await reader.newestCheckpoint(tenant.id);
    if (first === undefined || newest === undefined || first.number === newest.number)
      throw new Error('The log has not grown.');
    const verdict = async () => {
      const { figure, verdict: said, sentence } = await factOf('log-anchored', { config });
      return { behind: figure['behind'], said, sentence };
    };

    await writeFile(file, '');
    expect((await verdict()).behind).toBe(0);
    await own(`update audit_checkpoints set sealed_at = sealed_at - interval '2 hours' where tenant_id = $1`, [
      tenant.id,
    ]);
    const lacks = { behind: 1, said: 'attention', sentence: expect.stringContaining('lacks what was sealed') };
    expect(await verdict()).toEqual(lacks);
    await appendFile(file, `${JSON.stringify({ ...toCheckpointJson(newest), root: 'AAAA', signature: 'AAAA' })}\n`);
    expect(await verdict()).toEqual(lacks);
    await appendFile(file, `${JSON.stringify(toCheckpointJson(first))}\n`);
    expect(await verdict()).toEqual(lacks);
    await appendFile(file, `${JSON.stringify(toCheckpointJson(newest))}\n`);
    expect(await verdict()).toMatchObject({ behind: 0, said: 'holds' });
  });
});

describe('changes of rights', () => {
  it('include settings, such as that a second person has to approve', async () => {
    const before = (await factOf('rights-changes')).figure['changes'] ?? 0;
    const { body } = await vault.request('GET', '/tenants/self', { key: tenant.keys.management });
    const { name } = body as { name: string };
    const changed = await vault.request('PUT', '/tenants/self', {
      key: tenant.keys.management,
      body: { name, settings: { deduplicate_tokens: 'true' } },
    });
    expect(changed.status).toBe(200);
    await seal();
    expect((await factOf('rights-changes')).figure['changes']).toBe(before + 1);
  });
});

describe('a stored proxy', () => {
  it.each([
    [['0.0.0.0/0', '::/0'], 1],
    [['0.0.0.0/1', '128.0.0.0/1'], 1],
    [['2000::/3'], 1],
    [['10.0.0.0/8', '2001:db8::/32', '192.0.2.1'], 0],
  ])('that accepts calls from %j is open to everybody: %i', async (sources, count) => {
    await own(
      `insert into stored_proxies (tenant_id, id, key_hash, name, destination_url, require_auth, application_id,
          request_transforms, response_transforms, disable_detokenization, secrets_sealed, allowed_sources)
        values ($1, $2, $3, 'planted', 'https://example.com/', false, $2, '[]', '[]', false, '\\x00', $4)`,
      [tenant.id, crypto.randomUUID(), Buffer.from(tenant.id), sources],
    );
    expect((await factOf('open-proxies')).figure).toEqual({ proxies: count });
  });
});

describe('a stream of the log', () => {
  it('of one tenant does not have the log of another', async () => {
    const other = await vault.makeTenant();
    const stream: FileStreamConfig = {
      name: 'siem',
      kind: 'file',
      format: 'record',
      start: 'now',
      tenants: [tenant.id],
      path: path.join(directory, 'siem'),
      rotateBytes: 1_000_000,
      filesMax: 1,
    };
    const { verdict, sentence, affected } = await factOf('log-streams', { streams: [stream], tenantId: undefined });
    expect([verdict, sentence]).toEqual([
      'attention',
      expect.stringMatching(/^No stream copies the log of \d+ tenants?\.$/),
    ]);
    const ids = affected.map(({ id }) => id);
    expect([ids.includes(other.id), ids.includes(tenant.id)]).toEqual([true, false]);
    expect((await factOf('log-streams', { streams: [stream] })).verdict).toBe('holds');
    expect((await factOf('log-streams', { streams: [stream], tenantId: parseTenantId(other.id) })).verdict).toBe(
      'attention',
    );
  });
});

describe('a vault', () => {
  it('whose rules for alerts are all off does not say that nothing needs a look', async () => {
    const alerts = { windowMinutes: 10, misses: 0, reveals: 0, addresses: 0 };
    const { verdict, sentence } = await factOf('unacknowledged-alerts', withAudit({ alerts }));
    expect([verdict, sentence]).toEqual(['attention', expect.stringContaining('Every rule for alerts is off')]);
  });

  it('does not say that an archive has months that it has not looked for', async () => {
    const archive = { folder: directory };
    const { verdict, sentence } = await factOf('log-retention', withAudit({ archive, retentionMonths: 4 }));
    expect([verdict, sentence]).toEqual(['holds', expect.not.stringContaining('are in an archive')]);
  });

  it('says nothing about other tenants in the evidence of one', async () => {
    await own(
      `insert into tenants (id, name, type, deleted_at) values ($1, 'Gone', 'test', now() - interval '9 days')`,
      [crypto.randomUUID()],
    );
    const { verdict, sentence } = await factOf('deleted-tenants');
    expect([verdict, sentence]).toEqual(['holds', expect.stringMatching(/^This tenant /)]);
    expect((await factOf('deleted-tenants', { tenantId: undefined })).verdict).toBe('fails');
    await own(`delete from tenants where name = 'Gone'`);
  });

  it('counts late jobs of tenants, too', async () => {
    const late = async (asked: Partial<EvidenceOrder> = {}) => (await factOf('late-jobs', asked)).figure['jobs'];
    const before = await late();
    await own(
      `insert into pgboss.job_common (name, data, start_after) values ('mail-invitation', $1, now() - interval '2 hours')`,
      [JSON.stringify({ tenant_id: tenant.id })],
    );
    expect(await late()).toBe((before ?? 0) + 1);
    const other = await vault.makeTenant();
    expect(await late({ tenantId: parseTenantId(other.id) })).toBe(before);
    expect(await late({ tenantId: undefined })).toBe((before ?? 0) + 1);
  });
});
