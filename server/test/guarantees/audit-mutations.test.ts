import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyDatabase } from '../../src/platform/audit/verify/log-verification.ts';
import type { AuditRecord } from '../../src/core/audit/record-text.ts';
import { compareOrders, compareRecords, firstOrder, hashRecord } from '../../src/platform/audit/seal/audit-record.ts';
import { fileAnchor } from '../../src/platform/audit/seal/anchor.ts';
import { compareWithAnchor, type SealedRoot } from '../../src/platform/audit/verify/anchor-comparison.ts';
import { toSignedText } from '../../src/platform/audit/seal/checkpoint.ts';
import type { StoredCheckpoint } from '../../src/platform/audit/seal/checkpoint-row.ts';
import { LogReader } from '../../src/platform/audit/verify/log-reader.ts';
import { type Finding, type LogSection, LogVerifier } from '../../src/platform/audit/verify/log-verifier.ts';
import { MerkleFrontier } from '../../src/platform/audit/seal/merkle-tree.ts';
import { SystemKeys } from '../../src/platform/keyring/keys/system-keys.ts';
import type { AuditSigner } from '../../src/platform/keyring/sealing/audit-signer.ts';
import { generateRootKey, parseRootKey, FileRootKey } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { RootKeys } from '../../src/platform/keyring/kms/root-keys.ts';
import { fillLog, sealAll } from '../harness/sealed-log.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/** `npm run test:audit` runs the long form: ten thousand changes to a log of a hundred thousand records. */
const recordCount = Number(process.env['AUDIT_RECORDS'] ?? 10_000);
const changeCount = Number(process.env['AUDIT_CHANGES'] ?? 100);
/**
 * The whole log is verified once per this many changes. After every other change, only the part around it is verified.
 */
const wholeEvery = Number(process.env['AUDIT_WHOLE_EVERY'] ?? 100);

const tenantId = randomUUID();
let database: TestDatabase;
let signer: AuditSigner;
let sections: { checkpoint: StoredCheckpoint; records: AuditRecord[] }[];

beforeAll(async () => {
  database = await createTestDatabase();
  const rootKey = new FileRootKey(parseRootKey(generateRootKey()) ?? Buffer.alloc(32));
  signer = (await SystemKeys.load(database.open(), new RootKeys(rootKey))).auditSigner();
  await fillLog(database, { tenantId, count: recordCount, days: 0.5 });
  await sealAll(database, signer);
  sections = [];
  for await (const { checkpoint, records } of new LogReader(database.open()).sections(tenantId)) {
    if (records !== 'dropped') sections.push({ checkpoint, records: [...records] });
  }
});
afterAll(() => database.drop());

function verify(log: readonly LogSection[], after?: StoredCheckpoint): readonly Finding[] {
  const verifier = new LogVerifier({
    tenantId,
    publicKey: signer.publicKey,
    ...(after === undefined ? {} : { after }),
  });
  for (const section of log) verifier.check(section);
  return verifier.finish().findings;
}

/** Assigns records to their checkpoints by sealing order, as the reader does. */
function deal(checkpoints: readonly StoredCheckpoint[], records: readonly AuditRecord[]): LogSection[] {
  let from = firstOrder;
  return checkpoints.map((checkpoint) => {
    const to = checkpoint.orderTo;
    const since = from;
    const own = records.filter(
      ({ sealing_order: order }) => compareOrders(order, since) >= 0 && compareOrders(order, to) < 0,
    );
    from = to;
    return { checkpoint, records: own };
  });
}

const any = (count: number) => Math.floor(Math.random() * count);
const columns: Readonly<Record<string, (record: AuditRecord) => Partial<AuditRecord>>> = {
  id: () => ({ id: randomUUID() }),
  created_at: ({ created_at }) => ({ created_at: created_at + 1 + any(1_000) }),
  sealing_order: ({ sealing_order }) => ({ sealing_order: String(BigInt(sealing_order) + 1n + BigInt(any(40))) }),
  entity_type: () => ({ entity_type: 'member' }),
  entity_id: ({ entity_id }) => ({ entity_id: `${entity_id}0` }),
  operation: () => ({ operation: 'delete' }),
  outcome: () => ({ outcome: 'denied' }),
  actor_id: () => ({ actor_id: any(2) === 0 ? null : randomUUID() }),
  actor_type: () => ({ actor_type: 'user' }),
  key_id: () => ({ key_id: randomUUID() }),
  request_id: () => ({ request_id: `request ${randomUUID()}` }),
  source_address: () => ({ source_address: '198.51.100.7' }),
  containers: ({ containers }) => ({ containers: containers === null ? [] : null }),
  destination: () => ({ destination: 'example.com' }),
};

/** Each change modifies one thing in the records and returns the affected records as they were. */
const changes: Readonly<Record<string, (records: AuditRecord[]) => readonly AuditRecord[]>> = {
  ...Object.fromEntries(
    Object.entries(columns).map(([column, change]) => [
      `change ${column}`,
      (records: AuditRecord[]) => {
        const index = any(records.length);
        const [record] = records.slice(index);
        if (record === undefined) throw new Error('There is no record to change.');
        records[index] = { ...record, ...change(record) };
        return [record];
      },
    ]),
  ),
  delete: (records) => records.splice(any(records.length), 1),
  insert: (records) => {
    const [beside] = records.slice(any(records.length));
    if (beside === undefined) throw new Error('There is no record to insert beside.');
    records.push({ ...beside, id: randomUUID(), entity_id: 'forged' });
    return [beside];
  },
  swap: (records) => {
    const [a, b] = [any(records.length), any(records.length)];
    const [first, second] = [records[a], records[b]];
    if (first === undefined || second === undefined || first.request_id === second.request_id)
      return changes['delete']?.(records) ?? [];
    records[a] = { ...first, request_id: second.request_id };
    records[b] = { ...second, request_id: first.request_id };
    return [first, second];
  },
};

/** Returns the tree size of the checkpoint that sealed a record. */
function sealedAt(record: AuditRecord): number {
  const order = BigInt(record.sealing_order);
  const section = sections.find(({ checkpoint }) => order < BigInt(checkpoint.orderTo));
  return section?.checkpoint.treeSize ?? Number.NaN;
}

describe('the sealed log', () => {
  it('is long, in many checkpoints, and verifies', async () => {
    const startedAt = performance.now();
    const verdict = await verifyDatabase(
      { reader: new LogReader(database.open()), publicKey: signer.publicKey },
      tenantId,
      { onProgress: () => undefined },
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(verdict.findings).toEqual([]);
    expect(verdict.tenants).toMatchObject([{ verified: recordCount }]);
    expect(sections.length).toBeGreaterThanOrEqual(recordCount / 1_100);
    expect(seconds).toBeLessThan(60);
    process.stdout.write(`verified ${recordCount} records in ${seconds.toFixed(2)} s\n`);
  });

  it(`shows each of ${changeCount} single changes, and where it is`, () => {
    const names = Object.keys(changes);
    let namedCount = 0;
    for (let n = 0; n < changeCount; n += 1) {
      const name = names[n % names.length] ?? '';
      const isWhole = n % wholeEvery === 0;
      const first = isWhole ? 0 : any(Math.max(1, sections.length - 3));
      const some = isWhole ? sections : sections.slice(first, first + 3);
      const records = some.flatMap((section) => section.records);
      const touched = changes[name]?.(records) ?? [];
      const after = first === 0 ? undefined : sections[first - 1]?.checkpoint;
      const findings = verify(dealAfter(after, some, records), after);
      expect(findings.length, name).toBeGreaterThan(0);
      // Every finding points to an affected checkpoint, and every affected checkpoint has a finding.
      for (const record of touched) {
        const size = sealedAt(record);
        expect(
          findings.some(({ range }) => range !== undefined && range.from < size && size <= range.to),
          name,
        ).toBe(true);
      }
      // The more precise findings from the tree are correct too: they lie within the range and name the affected
      // record.
      for (const { range, within, records: named } of findings) {
        if (within === undefined) continue;
        expect(
          within.from >= (range?.from ?? 0) && within.to <= (range?.to ?? 0) && within.from < within.to,
          name,
        ).toBe(true);
        const isKnown = name.startsWith('change ') && name !== 'change id' && name !== 'change sealing_order';
        if (isKnown && named !== undefined) expect(named, name).toEqual(touched.map(({ id }) => id));
        if (name === 'insert' && named !== undefined) {
          expect(records.filter(({ entity_id }) => entity_id === 'forged').map(({ id }) => id)).toEqual(named);
          namedCount += 1;
        }
      }
      const places = new Set(touched.map(sealedAt));
      const isMoving = name === 'change sealing_order';
      if (!isMoving)
        expect(
          findings.every(({ range }) => places.has(range?.to ?? -1)),
          name,
        ).toBe(true);
    }
    // Most findings about added records name the record.
    expect(namedCount).toBeGreaterThan(changeCount / names.length / 3);
  }, 3_600_000);

  it('shows that its tail was cut off', () => {
    for (let n = 0; n < 50; n += 1) {
      const records = (sections.at(-1)?.records ?? []).slice(0, any(sections.at(-1)?.records.length ?? 1));
      const last = sections.at(-1);
      const before = sections.at(-2)?.checkpoint;
      if (last === undefined) throw new Error('There is no section.');
      const findings = verify([{ checkpoint: last.checkpoint, records }], before);
      expect(findings).toMatchObject([{ kind: 'records-missing', range: { to: recordCount } }]);
    }
  });

  it('shows that it was rewritten as a whole: without the key by the signatures, with the key by the anchor', async () => {
    const anchor = sections.at(-1)?.checkpoint;
    if (anchor === undefined) throw new Error('There is no checkpoint.');
    const rootKey = new FileRootKey(parseRootKey(generateRootKey()) ?? Buffer.alloc(32));
    const other = await createTestDatabase();
    const forger = (await SystemKeys.load(other.open(), new RootKeys(rootKey))).auditSigner();
    await other.drop();

    const file = path.join(tmpdir(), `anchor-${randomUUID()}.ndjson`);
    await fileAnchor(file).append([anchor]);
    const verdictOf = async (signedBy: AuditSigner) => {
      const frontier = MerkleFrontier.empty();
      const verifier = new LogVerifier({ tenantId, publicKey: signer.publicKey });
      const roots = new Map<number, SealedRoot>();
      for (const { checkpoint, records } of sections) {
        const rewritten = records.map((record) => ({ ...record, source_address: '192.0.2.1' }));
        for (const record of rewritten.toSorted(compareRecords)) frontier.append(hashRecord(record));
        const forged = { ...checkpoint, root: frontier.root(), frontier: frontier.toBytes() };
        roots.set(forged.number, forged);
        verifier.check({
          checkpoint: { ...forged, signature: signedBy.sign(toSignedText(forged)) },
          records: rewritten,
        });
      }
      const anchored = await compareWithAnchor(file, signer.publicKey, async () => roots);
      return [...verifier.finish().findings, ...anchored.findings].map(({ kind }) => kind);
    };
    const byForger = await verdictOf(forger);
    expect(new Set(byForger)).toEqual(new Set(['checkpoint-changed', 'anchor-differs']));
    expect(byForger).toHaveLength(sections.length + 1);
    expect(await verdictOf(signer)).toEqual(['anchor-differs']);
    await rm(file);
  });
});

/** Does the same as `deal` for a part of the log. */
function dealAfter(
  after: StoredCheckpoint | undefined,
  some: readonly { readonly checkpoint: StoredCheckpoint }[],
  records: readonly AuditRecord[],
): LogSection[] {
  const checkpoints = some.map(({ checkpoint }) => checkpoint);
  const dealt = deal(after === undefined ? checkpoints : [after, ...checkpoints], records);
  return after === undefined ? dealt : dealt.slice(1);
}
