import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiAnswer, FourEyesTenant, type Person, reveal } from '../harness/four-eyes.ts';
import { TestVault } from '../harness/test-vault.ts';

/**
 * A management key can create limited applications without approval. Previously, each of them could have 50 pending
 * requests of its own. One key could therefore use up the tenant's limit of 200, and nobody else could request
 * anything.
 */
const updates = { description: '', priority: 1, container: '/', transform: 'mask', permissions: ['token:update'] };
const limit = { permissions: ['token:update'], containers: ['/'], transform: 'mask' };
const flooder = { type: 'management', permissions: ['application:create', 'application:delete'], grant_limit: limit };
const needed = { name: 'Needed', type: 'private', rules: [reveal()] };

let vault: TestVault;
let here: FourEyesTenant;
let ann: Person;
let ben: Person;
let cleo: Person;
beforeAll(async () => {
  vault = await TestVault.start();
  here = await FourEyesTenant.make(vault);
  [ann, ben, cleo] = here.people;
});
afterAll(() => vault.stop());

/** Sends more requests than one key may have pending, and returns how many are pending. */
async function flood(key: string): Promise<number> {
  const statuses: number[] = [];
  for (let n = 0; n < 51 && statuses.at(-1) !== 400; n += 1) {
    statuses.push(
      (await here.byKey('POST', '/applications', { name: `F${n}`, type: 'private', rules: [updates] }, key)).status,
    );
  }
  return statuses.filter((status) => status === 202).length;
}

/** Returns the id and the key of an application that a key creates without approval. */
async function split(name: string, key?: string): Promise<{ id: string; key: string }> {
  return toMade(await here.byKey('POST', '/applications', { name, ...flooder }, key));
}

function toMade({ status, body }: ApiAnswer): { id: string; key: string } {
  expect(status).toBe(201);
  return { id: String(body['id']), key: String(body['key']) };
}

describe('requests of applications that one key has created', () => {
  it('share the places of that key, even if some of the applications are deleted', async () => {
    const first = await split('First');
    expect(await flood(first.key)).toBe(50);
    expect(await flood((await split('Second')).key)).toBe(0);
    expect((await here.byKey('DELETE', `/applications/${first.id}`)).status).toBe(204);
    expect(await flood((await split('Third')).key)).toBe(0);
  });

  it('leave places for keys that somebody else has given', async () => {
    const other = toMade(await here.by(ann, 'POST', '/applications', { name: 'Of Ann', ...flooder }));
    expect(await flood(other.key)).toBe(50);
  });

  it('never take the places of members, who can request and decide', async () => {
    const third = toMade(await here.by(ben, 'POST', '/applications', { name: 'Of Ben', ...flooder }));
    expect(await flood(third.key)).toBe(0);
    for (const person of [ann, ben, cleo]) {
      expect((await here.by(person, 'POST', '/applications', needed)).status).toBe(202);
    }
    const { rows } = await vault.database.owner.query<{ id: string }>(
      'select id from approval_requests where tenant_id = $1 and requested_key is not null limit 1',
      [here.tenant.id],
    );
    expect((await here.decide(cleo, 'refuse', rows[0]?.id ?? '')).status).toBe(303);
  });
});

describe('requests of one member', () => {
  it('leave places for the other members, together with all that keys can request', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 51; n += 1) statuses.push((await here.by(ann, 'POST', '/applications', needed)).status);
    expect(statuses.at(-1)).toBe(400);
    expect((await here.by(ben, 'POST', '/applications', needed)).status).toBe(202);
  });
});

/*
 * Previously, the page listed the requests of each application in turn. With one request from each of twenty
 * applications that it had created, one key could push a member's request to a later page.
 */
it('requests of applications that one key has created leave those of members on the first page', async () => {
  const other = await FourEyesTenant.make(vault);
  const [requester, reader] = other.people;
  expect((await other.by(requester, 'POST', '/applications', needed)).status).toBe(202);
  for (let n = 0; n < 21; n += 1) {
    const made = toMade(await other.byKey('POST', '/applications', { name: `Split ${n}`, ...flooder }));
    const wanted = { name: `Flood ${n}`, type: 'private', rules: [updates] };
    expect((await other.byKey('POST', '/applications', wanted, made.key)).status).toBe(202);
  }
  const { text } = await reader.visitor.get('/portal/approvals');
  expect(text.split('<article>').length - 1).toBe(20);
  expect(text).toContain('“Needed”');
});
