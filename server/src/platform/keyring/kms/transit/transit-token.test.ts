import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilTrue } from '../../../../../test/harness/deadline.ts';
import { failureOf, shownOf } from '../../../../../test/harness/failure.ts';
import { TestAuthority, type TestCertificate } from '../../../../../test/harness/test-authority.ts';
import { TransitEndpoint } from '../../../../../test/harness/key-services/transit-endpoint.ts';
import { context } from '../../../../../test/harness/key-services/wrap-contexts.ts';
import { Sensitive } from '../../../../core/identity/sensitive.ts';
import { TransitRootKey } from './transit-root-key.ts';
import type { TransitSignIn } from './transit-token.ts';

let authority: TestAuthority;
let certificate: TestCertificate;

beforeAll(async () => {
  authority = await TestAuthority.create();
  certificate = await authority.issue(['localhost']);
});
afterAll(() => authority.remove());

/** A Transit server and the token of a service account, for one test. The tests wait for tokens to expire together. */
class World {
  readonly transit: TransitEndpoint;
  readonly tokenFile: string;
  readonly #opened: TransitRootKey[] = [];

  static async make(): Promise<World> {
    const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-jwt-'));
    const world = new World(await TransitEndpoint.start(certificate), path.join(folder, 'token'));
    await writeFile(world.tokenFile, `${world.transit.tokens.kubernetes.jwt}\n`);
    return world;
  }

  private constructor(transit: TransitEndpoint, tokenFile: string) {
    this.transit = transit;
    this.tokenFile = tokenFile;
  }

  kubernetes(): TransitSignIn {
    const { role } = this.transit.tokens.kubernetes;
    return { kind: 'kubernetes', mount: 'kubernetes', role, tokenFile: this.tokenFile };
  }

  approle(): TransitSignIn {
    const { roleId, secretId } = this.transit.tokens.approle;
    return { kind: 'approle', mount: 'approle', roleId, secretId: new Sensitive(secretId) };
  }

  async open(signIn: TransitSignIn): Promise<TransitRootKey> {
    const key = await TransitRootKey.open({ ...this.transit.options(authority.certificate), signIn });
    this.#opened.push(key);
    return key;
  }

  count(operation: string): number {
    return this.transit.tokens.seen.filter((one) => one === operation).length;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#opened.map((key) => key.close()));
    await this.transit.service.stop();
    await rm(path.dirname(this.tokenFile), { recursive: true });
  }
}

const it = test.extend<{ world: World }>({
  // oxlint-disable-next-line eslint/no-empty-pattern -- The pattern tells Vitest that the fixture needs no other.
  world: async ({}, use) => {
    const world = await World.make();
    await use(world);
    await world.stop();
  },
});

async function works(rootKey: TransitRootKey): Promise<boolean> {
  const key = randomBytes(32);
  return key.equals(await rootKey.unwrap(await rootKey.wrap(key, context), context));
}

describe.concurrent.each(['kubernetes', 'approle'] as const)('signing in by %s', (mount) => {
  it('happens once for many calls, however many come at once', async ({ world }) => {
    const rootKey = await world.open(world[mount]());
    expect(await Promise.all(Array.from({ length: 10 }, () => works(rootKey)))).not.toContain(false);
    expect(world.transit.tokens.seen).toEqual([`${mount}/login`]);
  });

  it('is renewed before it expires, while nothing else happens', async ({ world }) => {
    world.transit.tokens.times = { leaseSeconds: 6, maxSeconds: 36_000 };
    const rootKey = await world.open(world[mount]());
    await untilTrue(() => world.count('token/renew-self') >= 1, { waitingFor: 'a renewal' });
    expect(await works(rootKey)).toBe(true);
    expect(world.count(`${mount}/login`)).toBe(1);
  });

  it('is repeated before the token reaches the longest time that it may live', async ({ world }) => {
    world.transit.tokens.times = { leaseSeconds: 2, maxSeconds: 3 };
    const rootKey = await world.open(world[mount]());
    await untilTrue(() => world.count(`${mount}/login`) >= 3, { waitingFor: 'two more sign-ins' });
    expect(await works(rootKey)).toBe(true);
  });

  it('is repeated if the token was revoked', async ({ world }) => {
    const rootKey = await world.open(world[mount]());
    world.transit.tokens.revokeAll();
    expect(await Promise.all(Array.from({ length: 5 }, () => works(rootKey)))).not.toContain(false);
    expect(world.count(`${mount}/login`)).toBe(2);
  });

  it('keeps the token while the server is away, and signs in when it is back', async ({ world }) => {
    world.transit.tokens.times = { leaseSeconds: 2, maxSeconds: 36_000 };
    const rootKey = await world.open(world[mount]());
    world.transit.service.mood = 'hangs-up';
    await expect(rootKey.wrap(randomBytes(32), context)).rejects.toThrow('Transit cannot be reached');
    await untilTrue(() => failureOf(rootKey.wrap(randomBytes(32), context)).then(() => true), {
      waitingFor: 'a failure',
    });
    world.transit.service.mood = undefined;
    world.transit.tokens.revokeAll();
    await untilTrue(() => works(rootKey).catch(() => false), { waitingFor: 'the server to be used again' });
  });
});

describe.concurrent('signing in', () => {
  it('says what to check if it is refused, without the credentials', async ({ world }) => {
    const secretId = new Sensitive('a wrong secret');
    const failure = await failureOf(world.open({ ...world.approle(), secretId } as TransitSignIn));
    expect(failure.message).toContain('Transit refused sign-in (status 403). Check the role');
    expect(shownOf(failure)).not.toContain('a wrong secret');
  });

  it('reads the token of the service account each time, because Kubernetes replaces it', async ({ world }) => {
    const rootKey = await world.open(world.kubernetes());
    const jwt = `jwt-${crypto.randomUUID()}`;
    world.transit.tokens.kubernetes.jwt = jwt;
    await writeFile(world.tokenFile, jwt);
    world.transit.tokens.revokeAll();
    expect(await works(rootKey)).toBe(true);
  });

  it('says which file it cannot read', async ({ world }) => {
    const failure = await failureOf(
      world.open({ ...world.kubernetes(), tokenFile: '/nowhere/token' } as TransitSignIn),
    );
    expect(failure.message).toContain('/nowhere/token cannot be read');
  });
});

describe.concurrent('a policy that allows too little', () => {
  it('does not lead to a sign-in for each call', async ({ world }) => {
    const rootKey = await world.open(world.approle());
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    world.transit.tokens.deniesAll = true;
    for (let call = 0; call < 10; call += 1) {
      await expect(rootKey.unwrap(wrapped, context)).rejects.toThrow('status 403');
    }
    expect(world.count('approle/login')).toBe(2);
  });
});

describe.concurrent('the token of an operator', () => {
  it('is looked up again if the server was unavailable', async ({ world }) => {
    world.transit.tokens.ownSeconds = 3_600;
    world.transit.tokens.isUnavailable = true;
    const rootKey = await world.open({ kind: 'token', token: new Sensitive(world.transit.token) });
    world.transit.tokens.isUnavailable = false;
    await untilTrue(() => world.count('token/lookup-self') >= 2, { waitingFor: 'another look-up' });
    expect(await works(rootKey)).toBe(true);
  });

  it('is renewed before it expires', async ({ world }) => {
    world.transit.tokens.ownSeconds = 2;
    const token = new Sensitive(world.transit.token);
    const rootKey = await world.open({ kind: 'token', token });
    await untilTrue(() => world.count('token/renew-self') >= 2, { waitingFor: 'two renewals' });
    expect(await works(rootKey)).toBe(true);
  });

  it('is left alone if it does not expire', async ({ world }) => {
    const rootKey = await world.open({ kind: 'token', token: new Sensitive(world.transit.token) });
    expect(await works(rootKey)).toBe(true);
    expect(world.transit.tokens.seen).toEqual(['token/lookup-self']);
  });
});
