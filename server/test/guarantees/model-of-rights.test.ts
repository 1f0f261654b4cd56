import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeRightsAsMember, decide } from '../harness/rights/rights-approvals.ts';
import {
  authorizeSession,
  changeRights,
  createToken,
  deleteApplication,
  deleteToken,
  endSession,
  getToken,
  makeWithinLimit,
  patchToken,
  repeatRequest,
  revokeKey,
  searchTokens,
} from '../harness/rights/rights-deeds.ts';
import { convertIntent, createIntent, deleteIntent, readIntent } from '../harness/rights/rights-intents.ts';
import { RightsWorld } from '../harness/rights/rights-world.ts';
import { TestVault } from '../harness/test-vault.ts';

/** `npm run test:rights` runs ten thousand sequences. */
const sequenceCount = Number(process.env['RIGHTS_SEQUENCES'] ?? 40);
const seed = Number(process.env['RIGHTS_SEED'] ?? 40);
const deedsInSequence = 20;
/**
 * After this many sequences, the tenants and approvers are replaced, because a sign-in counts as fresh for only a
 * quarter of an hour.
 */
const sequencesInWorld = 20;
/** The long form reports its progress after this many sequences. */
const reportEvery = 500;

type Deed = (world: RightsWorld) => Promise<void>;
/** The relative frequency of each deed. */
const shares = spread([
  [7, createToken],
  [14, getToken],
  [24, patchToken],
  [12, searchTokens],
  [10, repeatRequest],
  [1, deleteToken],
  [10, changeRights],
  [1, revokeKey],
  [1, deleteApplication],
  [7, authorizeSession],
  [2, endSession],
  [1, makeWithinLimit],
  [4, createIntent],
  [2, readIntent],
  [1, deleteIntent],
  [6, convertIntent],
]);
const approvingShares = [
  ...shares,
  ...spread([
    [6, changeRightsAsMember],
    [12, decide],
  ]),
];

function spread(deeds: readonly (readonly [share: number, deed: Deed])[]): Deed[] {
  return deeds.flatMap(([share, deed]) => Array.from({ length: share }, () => deed));
}

let vault: TestVault;
beforeAll(async () => {
  vault = await TestVault.start();
}, 120_000);
afterAll(() => vault.stop());

describe.each([
  ['in a tenant', false],
  ['in a tenant that demands approvals', true],
] as const)('five callers %s', (_name, isApproving) => {
  const count = isApproving ? Math.max(20, Math.ceil(sequenceCount / 4)) : sequenceCount;
  const tried = new Map<string, number>();

  it(
    `are shown what a model of their rights says, and are on record for it, in ${count} sequences (seed ${seed})`,
    async () => {
      for (let done = 0; done < count; done += sequencesInWorld) {
        // The admins of all worlds sign in from one address, which only so many may do in a quarter of an hour.
        await vault.database.owner.query('delete from sign_in_attempts');
        const world = await RightsWorld.start(vault, seed + done, isApproving);
        for (let sequence = done; sequence < Math.min(count, done + sequencesInWorld); sequence += 1) {
          await play(world, isApproving ? approvingShares : shares);
          expect(world.differences).toEqual([]);
        }
        for (const [deed, times] of world.deeds) tried.set(deed, (tried.get(deed) ?? 0) + times);
        if (count >= reportEvery && (done + sequencesInWorld) % reportEvery === 0)
          process.stdout.write(`${done + sequencesInWorld} of ${count} sequences without a difference\n`);
      }
    },
    120_000 + sequenceCount * 5_000,
  );

  it('have tried everything', () => {
    const wanted = [
      'GET tokens 200',
      'GET tokens 403',
      'PATCH tokens 200',
      'PATCH tokens 403',
      'POST tokens 201',
      'POST token-intents 201',
    ];
    const approving = isApproving ? ['member PUT 200', 'member PUT 202', 'approved'] : [];
    expect([...tried.keys()]).toEqual(expect.arrayContaining([...wanted, ...approving]));
  });
});

async function play(world: RightsWorld, deeds: readonly Deed[]): Promise<void> {
  await world.begin();
  await createToken(world);
  for (let deed = 0; deed < deedsInSequence; deed += 1) await world.random.pick(deeds)(world);
  await world.compareReports();
}
