import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setPassword, welcomeProven } from '../../../../test/harness/portal-people.ts';
import type { PageResponse, PortalVisitor } from '../../../../test/harness/portal-visitor.ts';
import { type TestTenant, TestVault } from '../../../../test/harness/test-vault.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { UserSessions } from '../index.ts';
import { PasskeyStore } from './passkey-store.ts';
import { PasswordStore } from './password-store.ts';

let vault: TestVault;
let tenant: TestTenant;
let member: PortalVisitor;
let userId: string;
beforeAll(async () => {
  vault = await TestVault.start();
  tenant = await vault.makeTenant();
});
beforeEach(async () => {
  ({ visitor: member, userId } = await join());
});
afterAll(() => vault.stop());

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await vault.database.owner.query<Row>(text, values)).rows;

async function join(): Promise<{ visitor: PortalVisitor; userId: string }> {
  const { visitor, email } = await welcomeProven(vault, tenant);
  const [user] = await query<{ id: string }>('select id from users where email = $1', [email]);
  return { visitor, userId: user?.id ?? '' };
}

/** Adds a passkey for this user and returns its id as used in the form. The key itself is not used in these tests. */
async function addPasskey(owner = userId): Promise<string> {
  const id = Buffer.from(crypto.randomUUID());
  await query(
    `insert into user_passkeys (user_id, id, public_key, sign_count, transports) values ($1, $2, '\\x00', 0, '{}')`,
    [owner, id],
  );
  return id.toString('base64url');
}

const remove = (id: string, confirmed = 'removal', visitor = member) =>
  visitor.post('/portal/passkeys/remove', { id, confirmed });
const passkeysOf = async (owner = userId) =>
  (await query<{ id: Buffer }>('select id from user_passkeys where user_id = $1', [owner])).map(({ id }) =>
    id.toString('base64url'),
  );
const isWarning = ({ status, text }: PageResponse) =>
  status === 200 && text.includes('This is your only way to sign in.');

describe('removing a passkey', () => {
  it('asks first, removes that one only, and the tenant is told', async () => {
    const [first, second] = [await addPasskey(), await addPasskey()];
    const home = await member.get('/portal/account');
    expect(home.text).toContain(`name="id" value="${first}"`);
    const question = await member.post('/portal/passkeys/remove', { id: first });
    expect([question.status, isWarning(question)]).toEqual([200, false]);
    expect(question.text).toContain('name="confirmed" value="removal"');
    expect(await passkeysOf()).toHaveLength(2);
    const answer = await remove(first);
    expect([answer.status, answer.location]).toEqual([303, '/portal/account']);
    expect(await passkeysOf()).toEqual([second]);
    expect((await vault.auditRecords(tenant.id)).at(-1)).toMatchObject({
      operation: 'change_sign_in',
      actor_type: 'user',
      actor_id: userId,
    });
  });

  it('warns when it is the last way in, and removes it only for somebody who has read that', async () => {
    const id = await addPasskey();
    expect(isWarning(await member.post('/portal/passkeys/remove', { id }))).toBe(true);
    expect(isWarning(await remove(id, 'removal'))).toBe(true);
    expect(isWarning(await remove(id, 'yes'))).toBe(true);
    expect(await passkeysOf()).toEqual([id]);
    expect((await remove(id, 'last-removal')).status).toBe(303);
    expect(await passkeysOf()).toEqual([]);
    expect((await member.get('/portal/account')).text).toContain('Set up a way to sign in below.');
  });

  it('counts a password as another way, and a provider that this vault does not use as none', async () => {
    const id = await addPasskey();
    await query(`insert into user_identities (user_id, issuer, subject) values ($1, 'https://gone.example', $2)`, [
      userId,
      crypto.randomUUID(),
    ]);
    expect(isWarning(await remove(id))).toBe(true);
    await setPassword(member);
    expect((await remove(id)).status).toBe(303);
  });

  it('leaves one of two that are removed at once: neither can count on the other', async () => {
    for (let round = 0; round < 5; round += 1) {
      await query('delete from user_passkeys where user_id = $1', [userId]);
      const ids = [await addPasskey(), await addPasskey()];
      const answers = await Promise.all(ids.map((id) => remove(id)));
      expect([answers.filter(isWarning).length, (await passkeysOf()).length]).toEqual([1, 1]);
    }
  });

  it('is not done to the passkey of somebody else, and says no more than of one that is not there', async () => {
    const { userId: other } = await join();
    const [theirs] = [await addPasskey(other), await addPasskey()];
    const texts = new Set<string>();
    for (const id of [theirs, Buffer.from(crypto.randomUUID()).toString('base64url'), '', '%', 'x'.repeat(3_000)]) {
      for (const confirmed of ['', 'removal', 'last-removal']) {
        const answer = await remove(id, confirmed);
        texts.add(answer.text.replace(/<code>.*<\/code>/, ''));
        expect(answer.status).toBe(404);
      }
    }
    expect(texts.size).toBe(1);
    expect(await passkeysOf(other)).toEqual([theirs]);
  });

  it('ends every other session of the user, not those of others', async () => {
    const id = await addPasskey();
    await setPassword(member);
    const { visitor: stranger } = await join();
    const { database, systemKeys, audit } = vault.server.core;
    const origin = { requestId: 'test', sourceAddress: '192.0.2.1' };
    const started = await new UserSessions({ database, systemKeys, audit }).start(
      { userId, provenSince: null },
      origin,
    );
    const elsewhere = member.at(vault.server.url);
    elsewhere.cookies.set('__Host-strongroom_session', started.cookie);
    expect(await elsewhere.isSignedIn()).toBe(true);
    expect((await remove(id)).status).toBe(303);
    expect([await member.isSignedIn(), await elsewhere.isSignedIn(), await stranger.isSignedIn()]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('needs somebody who has signed in a short while ago, from our own page', async () => {
    const id = await addPasskey();
    const cross = { 'sec-fetch-site': 'cross-site' };
    expect((await member.post('/portal/passkeys/remove', { id, confirmed: 'last-removal' }, cross)).status).toBe(403);
    await query(`update user_sessions set created_at = created_at - interval '16 minutes' where user_id = $1`, [
      userId,
    ]);
    expect((await remove(id, 'last-removal')).status).toBe(403);
    expect(await passkeysOf()).toEqual([id]);
  });
});

describe('disconnecting a provider', () => {
  it('removes that connection only', async () => {
    const issuers = ['https://one.example', 'https://two.example'];
    for (const issuer of issuers) {
      await query('insert into user_identities (user_id, issuer, subject) values ($1, $2, $3)', [
        userId,
        issuer,
        crypto.randomUUID(),
      ]);
    }
    await addPasskey();
    const disconnect = (form: Record<string, string>) => member.post('/portal/provider/remove', form);
    expect((await member.get('/portal/account')).text).toContain('https://one.example (not in use by this vault)');
    expect((await disconnect({ issuer: 'https://one.example' })).text).toContain('Disconnect the provider</button>');
    expect((await disconnect({ issuer: 'https://one.example', confirmed: 'removal' })).status).toBe(303);
    expect((await disconnect({ issuer: 'https://one.example', confirmed: 'removal' })).status).toBe(404);
    expect(await query('select issuer from user_identities where user_id = $1', [userId])).toEqual([
      { issuer: 'https://two.example' },
    ]);
  });
});

describe('a sign-in beside the removal of what it was done with', () => {
  const start = (stillProves: (tx: Transaction) => Promise<boolean>) => {
    const { database, systemKeys, audit } = vault.server.core;
    return new UserSessions({ database, systemKeys, audit }).start(
      { userId, provenSince: new Date(), stillProves },
      { requestId: 'test', sourceAddress: '192.0.2.1' },
    );
  };

  it('waits for the removal and is refused after it', async () => {
    const id = Buffer.from(await addPasskey(), 'base64url');
    await setPassword(member);
    const [password] = await query<{ since: Date }>(
      'select created_at as since from user_passwords where user_id = $1',
      [userId],
    );
    for (const [proof, undoing] of [
      [(tx: Transaction) => new PasskeyStore(tx).noteUse(id, 1), 'delete from user_passkeys where user_id = $1'],
      [
        (tx: Transaction) => new PasswordStore(tx).hold(userId, password?.since),
        `update user_passwords set created_at = created_at + interval '1 second' where user_id = $1`,
      ],
    ] as const) {
      const remover = await vault.database.owner.connect();
      try {
        await remover.query('begin');
        await remover.query(undoing, [userId]);
        const before = (await query('select from user_sessions')).length;
        const outcome = start(proof).then(
          () => 'signed in',
          (error: Error) => error.name,
        );
        await remover.query('commit');
        expect(await outcome).toBe('SignInRefused');
        expect(await query('select from user_sessions')).toHaveLength(before);
      } finally {
        remover.release();
      }
    }
  });

  it('is undone by a removal that comes a moment later', async () => {
    const id = await addPasskey();
    await setPassword(member);
    const holding = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const signingIn = start(async (tx) => {
      const isThere = await new PasskeyStore(tx).noteUse(Buffer.from(id, 'base64url'), 1);
      held.resolve();
      await holding.promise;
      return isThere;
    });
    await Promise.race([held.promise, signingIn]);
    const removing = remove(id);
    holding.resolve();
    const started = await signingIn;
    expect((await removing).status).toBe(303);
    expect(await query('select from user_sessions where id = $1', [started.id])).toEqual([]);
  });
});
