import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../../../test/harness/deadline.ts';
import { ImportFolder, toLines } from '../../../test/harness/import-file.ts';
import { type TestTenant, TestVault } from '../../../test/harness/test-vault.ts';
import { DrawerSet } from '../../platform/nodes/drawers.ts';

const lines = 2_400;
let vault: TestVault;
let tenant: TestTenant;
let folder: ImportFolder;
beforeAll(async () => {
  vault = await TestVault.start(undefined, { nodes: 2 });
  folder = await ImportFolder.make();
});
afterAll(async () => {
  await vault.stop();
  await folder.remove();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
});

/** With ids, without, and with aliases; one that is taken before, and one that an earlier line has. */
function makeText(): string {
  const tokens = Array.from({ length: lines }, (_, index) => {
    const token = { type: 'token', data: `value-${index}-4242`, metadata: { line: String(index) } };
    if (index % 3 === 0) return { ...token, id: `own-${index}` };
    return index % 3 === 1 ? token : { ...token, id: '{{ data | alias_preserve_format }}' };
  });
  return toLines(
    ...tokens
      .with(30, { ...tokens[30], id: 'taken-before' } as never)
      .with(33, { ...tokens[33], id: 'own-0' } as never),
  );
}
const takenLines = [31, 34];

async function createTaken(): Promise<void> {
  const body = { id: 'taken-before', type: 'token', data: 'theirs' };
  expect((await vault.request('POST', '/tokens', { key: tenant.keys.private, body })).status).toBe(201);
}

/** What lies on the nodes: how many tokens of each line of the file, how many are counted and recorded. */
async function readNodes() {
  const found = await Promise.all(
    vault.nodes.map(async ({ database }) => {
      const { rows } = await database.owner.query<{ line: string; id: string }>(
        `select metadata ->> 'line' as line, id from tokens where tenant_id = $1 and created_by is null`,
        [tenant.id],
      );
      const { rows: sums } = await database.owner.query<{ counted: number; recorded: number }>(
        `select (select coalesce(sum(tokens), 0) from token_counts where tenant_id = $1)::integer as counted,
          (select count(*) from audit_records where tenant_id = $1 and operation = 'create' and entity_type = 'token')::integer as recorded`,
        [tenant.id],
      );
      return { rows, counted: sums[0]?.counted ?? 0, recorded: sums[0]?.recorded ?? 0 };
    }),
  );
  return {
    perNode: found.map(({ rows }) => rows.length),
    lines: found.flatMap(({ rows }) => rows.map(({ line }) => Number(line))).toSorted((one, other) => one - other),
    counted: found.reduce((sum, { counted }) => sum + counted, 0),
    recorded: found.reduce((sum, { recorded }) => sum + recorded, 0),
  };
}

/** Every line of the file once, but those that are taken. */
async function expectWhole(): Promise<void> {
  const found = await readNodes();
  const expected = Array.from({ length: lines }, (_, index) => index).filter(
    (index) => !takenLines.includes(index + 1),
  );
  expect(found.lines).toEqual(expected);
  expect(found.perNode.every((count) => count > 0)).toBe(true);
  // With the one that was there before.
  expect([found.counted, found.recorded]).toEqual([expected.length + 1, expected.length + 1]);
}

const whole = { imported: lines - takenLines.length, rejected: takenLines.length, isFinished: true };
const rejects = takenLines.map((line) => expect.objectContaining({ line, code: 'token-id-taken' }) as unknown);

const ownerOfNode = (index: number) => (vault.nodes[index]?.database ?? vault.database).owner;

describe('an import', () => {
  it('writes each row to the node that holds its id, and home has the position', async () => {
    await createTaken();
    const rehearsal = await folder.import(vault, tenant, { text: makeText(), isDryRun: true });
    expect(rehearsal).toMatchObject({ imported: whole.imported, rejects });
    expect(await folder.import(vault, tenant, { text: makeText() })).toMatchObject({ ...whole, rejects });
    await expectWhole();
    const answer = await vault.request('GET', '/tokens/own-3', { key: tenant.keys.reveal });
    expect(answer.body).toMatchObject({ data: 'value-3-4242' });
  });

  it('loses no row whose drawer moves between two parts of a batch', async () => {
    const [first, second] = [ownerOfNode(0), ownerOfNode(1)];
    const held = await Promise.all(
      [first, second].map((owner) => owner.query<{ held: Buffer }>('select held from held_drawers')),
    );
    const writer = await second.connect();
    // As a move does, while the import waits to write on the second node what it has not written yet.
    await writer.query('begin');
    await writer.query('lock table tokens in share mode');
    const importing = folder.import(vault, tenant, { text: makeText(), path: folder.path('moving.ndjson') });
    await untilTrue(async () => (await readNodes()).perNode[0] !== 0, { waitingFor: 'the part of the first node' });
    await first.query('update held_drawers set held = $1', [DrawerSet.all().toBytes()]);
    await writer.query('update held_drawers set held = $1', [DrawerSet.of([]).toBytes()]);
    await writer.query('commit');
    writer.release();
    const report = await importing;
    const { lines: found } = await readNodes();
    for (const [index, owner] of [first, second].entries())
      await owner.query('update held_drawers set held = $1', [held[index]?.rows[0]?.held]);
    expect(report).toMatchObject({ imported: lines - 1, rejected: 1 });
    expect(found).toEqual(Array.from({ length: lines }, (_, index) => index).filter((index) => index !== 33));
  });

  it('is imported once more where that is wanted, with ids of its own', async () => {
    const text = toLines(...Array.from({ length: 20 }, (_, index) => ({ type: 'token', data: `again ${index}` })));
    const path = folder.path('again.ndjson');
    await folder.import(vault, tenant, { text, path });
    const again = { text, path, isRepeated: true, rejectsPath: folder.path('again.rejects') };
    expect(await folder.import(vault, tenant, again)).toMatchObject({ imported: 20, rejected: 0 });
    expect((await readNodes()).counted).toBe(40);
  });
});

describe('an import that died', () => {
  const statements: (readonly [where: number | 'home', drop: string])[] = [];
  afterEach(async () => {
    for (const [where, drop] of statements.splice(0)) await ownerOf(where).query(drop);
  });
  const ownerOf = (where: number | 'home') =>
    (where === 'home' ? vault.database : (vault.nodes[where]?.database ?? vault.database)).owner;

  /** Has the database refuse something, as if the process had ended there. */
  async function failAt(where: number | 'home', { on, when }: { on: string; when: string }): Promise<void> {
    await ownerOf(where).query(
      `create function die() returns trigger language plpgsql as $$ begin raise exception 'died'; end $$`,
    );
    await ownerOf(where).query(`create trigger die before ${on} for each row when (${when}) execute function die()`);
    statements.push([where, 'drop function die() cascade']);
  }

  async function dieAndResume(name: string): Promise<void> {
    await createTaken();
    const path = folder.path(name);
    await expect(folder.import(vault, tenant, { text: makeText(), path })).rejects.toThrow();
    for (const [where, drop] of statements.splice(0)) await ownerOf(where).query(drop);
    const resumed = await folder.import(vault, tenant, { text: makeText(), path, isResumed: true });
    expect(resumed).toMatchObject({ ...whole, rejects });
    await expectWhole();
  }

  it('before the position had moved recognizes its own rows on all nodes', async () => {
    await failAt('home', { on: 'update on token_imports', when: 'new.position > old.position and new.line > 1500' });
    await dieAndResume('position.ndjson');
  });

  it('in its first batch does as well', async () => {
    await failAt('home', { on: 'update on token_imports', when: 'new.position > old.position' });
    await dieAndResume('first.ndjson');
  });

  it.each([0, 1])(
    'between two nodes, of which number %i fails, writes what is missing, and nothing twice',
    async (node) => {
      await failAt(node, { on: 'insert on tokens', when: `(new.metadata ->> 'line')::integer between 1200 and 1230` });
      await dieAndResume(`between-${node}.ndjson`);
    },
  );

  it('does not bring back what was deleted since', async () => {
    await failAt('home', { on: 'update on token_imports', when: 'new.position > old.position' });
    await createTaken();
    const path = folder.path('deleted.ndjson');
    await expect(folder.import(vault, tenant, { text: makeText(), path })).rejects.toThrow();
    for (const [where, drop] of statements.splice(0)) await ownerOf(where).query(drop);
    expect((await vault.request('DELETE', '/tokens/own-3', { key: tenant.keys.private })).status).toBe(204);
    await folder.import(vault, tenant, { text: makeText(), path, isResumed: true });
    expect((await vault.request('GET', '/tokens/own-3', { key: tenant.keys.reveal })).status).toBe(404);
  });

  it('recognizes a row of its own that has moved to another node meanwhile', async () => {
    await failAt('home', { on: 'update on token_imports', when: 'new.position > old.position' });
    await createTaken();
    const path = folder.path('moved.ndjson');
    await expect(folder.import(vault, tenant, { text: makeText(), path })).rejects.toThrow();
    for (const [where, drop] of statements.splice(0)) await ownerOf(where).query(drop);
    // As if the parts had been written before their drawers moved: the nodes do not know that they have.
    for (const index of [0, 1])
      await ownerOf(index).query(`update token_imports set planned = null where tenant_id = $1`, [tenant.id]);
    const resumed = await folder.import(vault, tenant, { text: makeText(), path, isResumed: true });
    expect(resumed).toMatchObject({ ...whole, rejects });
    await expectWhole();
  });
});

describe('imports of one file that are continued at once', () => {
  it('write each row once, since only one of them has its plan accepted', async () => {
    const text = toLines(...Array.from({ length: 2_000 }, (_, index) => ({ type: 'token', data: index })));
    const controller = new AbortController();
    const stopping = { signal: controller.signal, onProgress: () => controller.abort() };
    expect(await folder.import(vault, tenant, { text, ...stopping })).toMatchObject({ isFinished: false });
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((name) =>
        folder.import(vault, tenant, { text, path: folder.path(`at-once-${name}`), isResumed: true }),
      ),
    );
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
    for (const failure of failures) expect(failure).toMatch(/Another process is importing|already been imported/);
    const counts = await Promise.all(
      vault.nodes.map(({ database }) =>
        database.owner.query<{ count: number }>('select count(*)::int from tokens where tenant_id = $1', [tenant.id]),
      ),
    );
    expect(counts.reduce((sum, { rows }) => sum + (rows[0]?.count ?? 0), 0)).toBe(2_000);
  });
});
