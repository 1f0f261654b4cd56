import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testedKeyServices } from '../../../../test/harness/key-services/all-key-services.ts';
import { failureOf, shownOf } from '../../../../test/harness/failure.ts';
import {
  type TestedKeyService,
  type Trouble,
  troubles,
} from '../../../../test/harness/key-services/tested-key-service.ts';
import { context, otherContexts } from '../../../../test/harness/key-services/wrap-contexts.ts';
import { keysOf } from '../../../core/objects/keys-of.ts';
import { callTimeoutMs, KeyServiceError, type KeyServiceTrouble } from './key-service.ts';
import { type RootKey, RootKeyMismatch } from './root-key.ts';

// What every root key guarantees, tried on all key services.

/** What the error says about a trouble. A service that does not respond cannot be told from one that is not there. */
const reported = { slow: 'unreachable' } as const satisfies Partial<Record<Trouble, KeyServiceTrouble>>;

describe.each(keysOf(testedKeyServices))('a root key in %s', (kind) => {
  let service: TestedKeyService;
  let rootKey: RootKey;
  beforeAll(async () => {
    service = await testedKeyServices[kind]();
    rootKey = await service.open();
  });
  afterAll(async () => {
    await rootKey.close();
    await service.stop();
  });

  it('gives back the key that was wrapped, also after a restart', async () => {
    const key = randomBytes(32);
    const wrapped = await rootKey.wrap(key, context);
    expect(await rootKey.unwrap(wrapped, context)).toEqual(key);
    const again = await service.open();
    expect(again.id).toBe(rootKey.id);
    expect(await again.unwrap(wrapped, context)).toEqual(key);
    await again.close();
  });

  it('wraps the same key differently each time', async () => {
    const key = randomBytes(32);
    expect(await rootKey.wrap(key, context)).not.toEqual(await rootKey.wrap(key, context));
  });

  it('has an id that names the service and differs from that of another key', async () => {
    expect(rootKey.id).toMatch(new RegExp(`^${kind}:[\\w-]{8,64}$`));
    const other = await service.openOther();
    expect(other.id).toMatch(new RegExp(`^${kind}:[\\w-]{8,64}$`));
    expect(other.id).not.toBe(rootKey.id);
    await other.close();
  });

  it('refuses what another key wrapped', async () => {
    const other = await service.openOther();
    const wrapped = await other.wrap(randomBytes(32), context);
    await expect(rootKey.unwrap(wrapped, context)).rejects.toThrow(RootKeyMismatch);
    await other.close();
  });

  it.each(otherContexts)('refuses a wrapped key of another %s', async (_, other) => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    await expect(rootKey.unwrap(wrapped, other)).rejects.toThrow(RootKeyMismatch);
  });

  it('refuses a wrapped key with any byte changed, and any that is shorter or longer', async () => {
    const wrapped = await rootKey.wrap(randomBytes(32), context);
    const damaged: Buffer[] = Array.from(wrapped, (byte, at) => Buffer.from(wrapped).fill(byte ^ 1, at, at + 1));
    for (const length of [0, 1, 50, wrapped.length - 1]) damaged.push(wrapped.subarray(0, length));
    damaged.push(Buffer.concat([wrapped, Buffer.alloc(4, 'A')]), Buffer.alloc(100), Buffer.alloc(7_000, 1));
    // The calls run one at a time. If a hundred calls ran concurrently, the last one would exceed its time limit on a
    // busy machine.
    for (const bytes of damaged) {
      expect(await failureOf(rootKey.unwrap(bytes, context))).toBeInstanceOf(RootKeyMismatch);
    }
  });

  it.each([0, 16, 31, 33])('wraps no key of %i bytes, which it could not unwrap', async (length) => {
    await expect(rootKey.wrap(Buffer.alloc(length), context)).rejects.toThrow(TypeError);
  });

  it.for(troubles)('says that it is %s, within its time limit, and works again afterwards', async (trouble, test) => {
    const bringInto = service.troubles[trouble];
    if (typeof bringInto === 'string') return test.skip(bringInto);
    const key = randomBytes(32);
    const wrapped = await rootKey.wrap(key, context);
    const startedAt = performance.now();
    await bringInto();
    const failures = await Promise.all([
      failureOf(rootKey.unwrap(wrapped, context)),
      failureOf(rootKey.wrap(key, context)),
    ]);
    const tookMs = performance.now() - startedAt;
    const isFinal = failures.some((failure) => failure instanceof KeyServiceError && failure.isFinal);
    await service.recover();
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(KeyServiceError);
      expect(failure).toMatchObject({ trouble: trouble === 'slow' ? reported.slow : trouble });
      expect(failure.message).toMatch(/^[^\n]+\.$/);
      for (const secret of [...service.secrets, key.toString('base64')]) expect(shownOf(failure)).not.toContain(secret);
    }
    // A slow service takes all of the time. The rest is for a machine that is busy.
    expect(tookMs).toBeLessThan(callTimeoutMs * 2);
    if (isFinal) {
      await rootKey.close();
      rootKey = await service.open();
    }
    await expect.poll(() => rootKey.unwrap(wrapped, context).catch(() => undefined)).toEqual(key);
  });

  it('opens what older versions of the key wrapped, under the same id', async ({ skip }) => {
    if (typeof service.rotate === 'string') return skip(service.rotate);
    const key = randomBytes(32);
    const wrapped = await rootKey.wrap(key, context);
    await service.rotate();
    const again = await service.open();
    expect(again.id).toBe(rootKey.id);
    expect(await again.unwrap(wrapped, context)).toEqual(key);
    expect(await rootKey.unwrap(await again.wrap(key, context), context)).toEqual(key);
    await again.close();
  });
});
