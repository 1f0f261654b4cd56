import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendTogether } from '../../../../test/harness/send-together.ts';
import { StatementTap } from '../../../../test/harness/statement-tap.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import { TokenEndpoints, tokenOf } from '../../../../test/harness/token-endpoints.ts';

/** The number of concurrent batches of one tenant. */
const batchesMax = 2;

let vault: TestVault;
let tenant: TestTenant;
let tokens: TokenEndpoints;
let tap: StatementTap;
beforeAll(async () => {
  vault = await TestVault.start();
});
beforeEach(async () => {
  tenant = await vault.makeTenant();
  tokens = new TokenEndpoints(vault, tenant.keys.reveal);
  tap = new StatementTap();
});
afterEach(() => tap.close());
afterAll(() => vault.stop());

interface Create {
  readonly data: string;
  readonly key?: string;
  readonly id?: string;
  readonly mask?: string;
  readonly deduplicate_token?: boolean;
}

const create = ({ key = tenant.keys.reveal, ...body }: Create) =>
  tokens.create({ type: 'token', deduplicate_token: true, ...body }, { key });
const createTogether = (bodies: readonly Create[]) =>
  sendTogether(vault, {
    batch: 'token-duplicate',
    ahead: Array.from({ length: batchesMax }, (_, index) => () => create({ data: `ahead ${index}` })),
    requests: bodies.map((body) => () => create(body)),
    weight: bodies.length,
  });
const countStatements = (wanted: string) => tap.sent.filter(({ name }) => name === wanted).length;
const countTokens = async () => {
  const { rows } = await vault.database.owner.query<{ tokens: number }>(
    'select count(*)::int as tokens from tokens where tenant_id = $1',
    [tenant.id],
  );
  return rows[0]?.tokens;
};

describe('deduplicated creates that arrive together', () => {
  it('share a commit, and make one token of each value', async () => {
    const bodies = Array.from({ length: 60 }, (_, index) => ({ data: `value ${index % 20}` }));
    const answers = await createTogether(bodies);
    expect(answers.map(({ status }) => status)).toEqual(bodies.map((_, index) => (index < 20 ? 201 : 200)));
    for (const [index, answer] of answers.entries()) {
      expect(tokenOf(answer).id).toBe(tokenOf(answers[index % 20] ?? answer).id);
      expect(tokenOf(answer).data).toBe(`value ${index % 20}`);
    }
    expect(await countTokens()).toBe(20 + batchesMax);
    expect(countStatements('token-claim-fingerprints')).toBe(batchesMax + 1);
  });

  it('look twice for 50 equal values, not 50 times', async () => {
    const answers = await createTogether(Array.from({ length: 50 }, () => ({ data: 'the same' })));
    expect(answers.map(({ status }) => status)).toEqual([201, ...Array.from({ length: 49 }, () => 200)]);
    expect(new Set(answers.map((answer) => tokenOf(answer).id)).size).toBe(1);
    expect(countStatements('token-find-duplicates')).toBe(batchesMax + 2);
  });

  it('find what they would find one after another', async () => {
    const key = tenant.keys.public;
    const bodies = [
      { data: 'planted', key, mask: 'seen' },
      { data: 'planted' },
      { data: 'planted', key, mask: 'seen' },
      { data: 'planted', key, mask: 'other' },
      { data: 'trusted' },
      { data: 'trusted', key, mask: 'seen' },
      { data: 'apart', deduplicate_token: false },
      { data: 'apart' },
    ];
    const inOrder: { status: number; id: string }[] = [];
    for (const body of bodies) inOrder.push(toOutcome(await create({ ...body, data: `${body.data} before` })));
    const duplicated = bodies.filter(({ deduplicate_token: wish }) => wish !== false);
    await create({ data: 'apart', deduplicate_token: false });
    const together = (await createTogether(duplicated)).map(toOutcome);
    const expected = inOrder.filter((_, index) => bodies[index]?.deduplicate_token !== false);
    expect(together.map(({ status }) => status)).toEqual(expected.map(({ status }) => status));
    expect(together.map(({ id }) => together.findIndex((one) => one.id === id))).toEqual(
      expected.map(({ id }) => expected.findIndex((one) => one.id === id)),
    );
    expect(new Set(together.map(({ status }) => status))).toEqual(new Set([200, 201]));
  });

  it('fail alone if the id is taken', async () => {
    const { id } = await tokens.make({ data: 'first' });
    const bodies = Array.from({ length: 16 }, (_, index) => ({
      data: `value ${index}`,
      ...(index === 5 ? { id } : {}),
    }));
    const answers = await createTogether(bodies);
    expect(answers.map(({ status }) => status)).toEqual(bodies.map((_, index) => (index === 5 ? 409 : 201)));
    expect(await countTokens()).toBe(16 + batchesMax);
  });

  it('leave no claim behind', async () => {
    await createTogether(Array.from({ length: 10 }, (_, index) => ({ data: `value ${index % 3}` })));
    const { rows } = await vault.database.owner.query('select from token_fingerprints where tenant_id = $1', [
      tenant.id,
    ]);
    expect(rows).toHaveLength(0);
  });
});

function toOutcome(answer: Awaited<ReturnType<typeof create>>) {
  return { status: answer.status, id: tokenOf(answer).id };
}
