import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilPasses } from '../../../../test/harness/deadline.ts';
import { StatementTap } from '../../../../test/harness/statement-tap.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/test-database.ts';
import type { Caller } from '../../../core/identity/caller.ts';
import type { ApplicationId, ApplicationKeyId, TenantId, TokenId } from '../../../core/identity/ids.ts';
import { successEvent } from '../../../platform/audit/record/audit-event.ts';
import { AuditLog } from '../../../platform/audit/record/audit-log.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { VisibleToken } from '../model/token.ts';
import { TokenListLanes } from './token-list-lanes.ts';

let test: TestDatabase;
let database: Database;
let tap: StatementTap;
let caller: Caller;

beforeAll(async () => {
  test = await createTestDatabase();
  database = test.open();
  tap = new StatementTap();
});
afterAll(async () => {
  tap.close();
  await test.drop();
});
beforeEach(() => {
  caller = {
    tenantId: crypto.randomUUID() as TenantId,
    applicationId: crypto.randomUUID() as ApplicationId,
    applicationType: 'private',
    keyId: crypto.randomUUID() as ApplicationKeyId,
    grants: { rules: [] },
    requestId: crypto.randomUUID(),
    sourceAddress: '127.0.0.1',
  };
});

/** Runs lists of one token each, and counts how many have started, found their tokens, and returned a response. */
function runLists(count: number, dataBytes: number) {
  const lanes = new TokenListLanes(new AuditLog(database));
  const progress = { begun: 0, found: 0, answered: 0 };
  const lists = Array.from({ length: count }, async (_, index) => {
    await lanes.run(caller, async () => {
      progress.begun += 1;
      // The query makes the lists end one at a time, like real lists.
      await database.runForTenant(caller.tenantId, { text: 'select' });
      progress.found += 1;
      const id = `t${index}`;
      return { page: { items: [toVisible(id, dataBytes)] }, events: [successEvent('token', id, 'read')] };
    });
    progress.answered += 1;
  });
  return { progress, done: Promise.all(lists) };
}

function toVisible(id: string, dataBytes: number): VisibleToken {
  return {
    token: {
      tenantId: caller.tenantId,
      id: id as TokenId,
      version: 1,
      revision: 0,
      viewAuthors: {},
      isMaskWhole: false,
      type: 'token',
      data: Buffer.alloc(dataBytes),
      mask: null,
      containers: ['/general/high/'],
      metadata: null,
      searchIndexes: null,
      fingerprint: null,
      fingerprintExpression: null,
      expiresAt: null,
      terms: [],
      cvc: null,
      createdBy: null,
      createdAt: new Date(),
      modifiedBy: null,
      modifiedAt: null,
    },
    data: undefined,
    mask: undefined,
    searchIndexes: [],
    fingerprint: undefined,
    fingerprintExpression: '',
    derived: undefined,
  };
}

/** Runs `work` while no record can be written. */
async function whileNothingIsRecorded(work: () => Promise<void>): Promise<void> {
  const holder = await test.owner.connect();
  try {
    await holder.query('begin; lock table audit_records in share mode');
    await work();
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

async function untilRecordsHang(): Promise<void> {
  await untilPasses(async () => {
    const { rows } = await test.owner.query<{ hanging: number }>(
      `select count(*)::integer as hanging from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into audit_records%'`,
    );
    expect(rows[0]?.hanging).toBe(1);
  });
}

async function recordedIds(): Promise<string[]> {
  const { rows } = await test.owner.query<{ entity_id: string }>(
    `select entity_id from audit_records where tenant_id = $1 and operation = 'read'`,
    [caller.tenantId],
  );
  return rows.map((row) => row.entity_id);
}

describe('TokenListLanes', () => {
  it('records each list, and with one commit those that end while another is recorded', async () => {
    const appends = await tap.during(async () => {
      let lists: ReturnType<typeof runLists> | undefined;
      await whileNothingIsRecorded(async () => {
        lists = runLists(40, 100);
        await untilRecordsHang();
        await untilPasses(() => expect(lists?.progress.found).toBe(40));
      });
      await lists?.done;
    }, 'insert into audit_records');
    expect((await recordedIds()).toSorted()).toEqual(Array.from({ length: 40 }, (_, index) => `t${index}`).toSorted());
    // The first append is blocked, and the second contains everything that ended in the meantime.
    expect(appends.filter(({ name }) => name === 'audit-append')).toHaveLength(2);
  });

  it('lets others begin while a short page is recorded, and answers none before it is', async () => {
    let lists: ReturnType<typeof runLists> | undefined;
    await whileNothingIsRecorded(async () => {
      lists = runLists(5, 64 * 1024);
      await untilRecordsHang();
      expect(lists.progress).toMatchObject({ begun: 5, answered: 0 });
    });
    await lists?.done;
    expect(await recordedIds()).toHaveLength(5);
  });

  it('lets no other begin while a long page is recorded, so that few are in memory', async () => {
    let lists: ReturnType<typeof runLists> | undefined;
    await whileNothingIsRecorded(async () => {
      lists = runLists(5, 64 * 1024 + 1);
      await untilRecordsHang();
      expect(lists.progress).toMatchObject({ begun: 2, answered: 0 });
    });
    await lists?.done;
    expect(await recordedIds()).toHaveLength(5);
  });
});
