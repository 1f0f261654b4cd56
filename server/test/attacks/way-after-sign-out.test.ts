import { afterAll, beforeAll, expect, it } from 'vitest';
import { countLockWaits } from '../harness/lock-waits.ts';
import { codeOf, goodPassword, welcomeProven } from '../harness/portal-people.ts';
import { fieldIn } from '../harness/portal-visitor.ts';
import { TestVault } from '../harness/test-vault.ts';
import { untilTrue } from '../harness/deadline.ts';

// Somebody with a stolen session sets up a sign-in method of their own. Hashing its password takes long enough for the
// user to sign out everywhere meanwhile, which has to leave nothing behind.

let vault: TestVault;
beforeAll(async () => {
  vault = await TestVault.start();
});
afterAll(() => vault.stop());

it('a sign-in method that was being set up when its user signed out everywhere is not stored', async () => {
  const { visitor: thief, email } = await welcomeProven(vault, await vault.makeTenant());
  const user = thief.at(vault.server.url);
  const page = await thief.post('/portal/password/begin');
  const [, secret = ''] = /<code id="key">([A-Z2-7]+)<\/code>/.exec(page.text) ?? [];
  const form = { sealed: fieldIn(page, 'sealed'), password: goodPassword, code: codeOf(secret) };
  // The set-up has admitted the session and hashed the password by the time it waits for this lock.
  const lock = await vault.database.owner.connect();
  await lock.query('begin; lock table spent_ceremonies in share mode');
  const setting = thief.post('/portal/password', form);
  await untilTrue(async () => (await countLockWaits(lock)) > 0, { waitingFor: 'the lock' });
  expect((await user.post('/portal/account/sessions/end-all')).location).toBe('/portal/sign-in');
  await lock.query('rollback');
  lock.release();
  expect((await setting).status).toBe(403);
  const { rows } = await vault.database.owner.query(
    'select from user_passwords p join users u on u.id = p.user_id where u.email = $1',
    [email],
  );
  expect(rows).toEqual([]);
});
