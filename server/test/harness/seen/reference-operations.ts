import { destinationHost } from '../proxy-vault.ts';
import type { TestResponse } from '../test-vault.ts';
import { anything, type ExpectedRecord, record } from './expected-record.ts';
import { refusalRecords, type SeenWorld } from './seen-world.ts';
import { type ShownToken, viewsOf, viewsOfValue } from './shown-view.ts';
import { foundRecord, learn, randomToken, shown, typeOf } from './token-operations.ts';

/** Tokenizes a document of values and whole tokens. For the values, only ids are returned. */
export async function tokenize(world: SeenWorld): Promise<void> {
  const { random } = world;
  const leaves = Array.from({ length: random.below(4) }, () => `plain-leaf-${random.below(1_000)}`);
  const whole = Array.from({ length: random.below(3) }, () => randomToken(world));
  // The token occurs twice in one request. The second one is a duplicate of the first.
  const again = whole.filter((token) => token['deduplicate_token'] === true).slice(0, 1);
  const body = { leaves, nested: { whole: [...whole, ...again] } };
  const caller = world.anyCaller();
  const headers = random.chance(0.3) ? { 'bt-idempotency-key': random.uuid() } : {};
  const answer = await world.exchange(caller, ['POST', '/tokenize', '/tokenize'], { body, headers }, (got) => {
    if (got.status !== 200) return refusalRecords(got, { entityType: 'token', operation: 'create', entityId: '*' });
    const made = got.body as { leaves: string[]; nested: { whole: ShownToken[] } };
    return [...made.leaves.map((id) => record('token', 'create', id)), ...expectWhole(world, made.nested.whole)];
  });
  if (answer.status !== 200) return;
  const made = answer.body as { leaves: string[]; nested: { whole: ShownToken[] } };
  for (const id of made.leaves) learn(world, { id, type: 'token' }, false);
  for (const token of made.nested.whole) learn(world, token, true);
  if ('bt-idempotency-key' in headers) {
    world.repeatables.push({ caller, method: 'POST', path: '/tokenize', request: { body, headers }, first: answer });
  }
}

/** Returns the expected records. Each new token is created once. Each existing token is shown, or updated and shown. */
function expectWhole(world: SeenWorld, tokens: readonly ShownToken[]): ExpectedRecord[] {
  const isUpdated = world.isUpdatingDuplicates;
  const isOld = ({ id }: ShownToken) => world.tokens.has(id);
  const once = [...new Map(tokens.map((token) => [token.id, token])).values()];
  const fresh = once.filter((token) => !isOld(token)).map((token) => shown('create', token));
  return [...fresh, ...(isUpdated ? once : tokens).filter(isOld).map((token) => foundRecord(world, token))];
}

interface Referred {
  readonly id: string;
  readonly field: string;
  readonly expression: string;
}

/**
 * Returns references to tokens with a mask, or to tokens that do not exist. Tokens without a mask are left out, because
 * their value does not show which view was used.
 */
function randomReferences(world: SeenWorld): Referred[] {
  const { random } = world;
  const ids = Array.from({ length: 1 + random.below(3) }, () => world.anyId());
  return [...new Set(ids)]
    .filter((id) => world.tokens.get(id)?.hasMask !== false)
    .map((id) => {
      if (random.chance(0.2)) return { id, field: 'token', expression: `{{ token: ${id} }}` };
      if (world.tokens.get(id)?.type !== 'card') return { id, field: 'data', expression: `{{ ${id} }}` };
      return { id, field: 'data.number', expression: `{{ ${id} | json: '$.number' }}` };
    });
}

export async function detokenize(world: SeenWorld): Promise<void> {
  const references = randomReferences(world);
  const body = { values: references.map(({ expression }) => expression), same: 'as it is' };
  await world.exchange(world.anyCaller(), ['POST', '/detokenize', '/detokenize'], { body }, (got) => {
    if (got.status === 400) return [missed('token', 'read', world, references)];
    if (got.status !== 200) return refusalRecords(got, { entityType: 'token', operation: 'read', entityId: '*' });
    const { values } = got.body as { values: unknown[] };
    return references.map(({ id, field }, index) =>
      record(typeOf(world, id), 'read', id, {
        transforms: viewsOfReference(values[index]),
        details: { fields: [field] },
      }),
    );
  });
}

/** Applies a filter that does not fit. Its failure reveals what a value is not, so the attempt is recorded. */
export async function detokenizeWrongly(world: SeenWorld): Promise<void> {
  const id = world.anyId();
  const body = { value: `{{ ${id} | to_boolean }}` };
  const details = { fields: ['data'] };
  await world.exchange(world.anyCaller(), ['POST', '/detokenize', '/detokenize'], { body }, (got) => {
    const isThere = world.tokens.has(id);
    if (got.status === 400 && !isThere) return [missed('token', 'read', world, [{ id }])];
    if (got.status === 400)
      return [record(typeOf(world, id), 'read', id, { outcome: 'failed', transforms: ['mask', 'reveal'], details })];
    if (got.status !== 200) return refusalRecords(got, { entityType: 'token', operation: 'read', entityId: '*' });
    return [record(typeOf(world, id), 'read', id, { transforms: ['redact', 'mask'], details })];
  });
}

export async function callDestination(world: SeenWorld): Promise<void> {
  const { random, proxy } = world;
  const references = random.chance(0.1) ? [] : randomReferences(world);
  const isFailing = random.chance(0.2);
  const path = isFailing ? '/fail' : '';
  const request = {
    body: { values: references.map(({ expression }) => expression) },
    headers: { 'bt-proxy-url': proxy.url },
  };
  const destination = destinationHost;
  const call = (outcome: string, more: Partial<ExpectedRecord> = {}) =>
    record('proxy', 'invoke', anything, { outcome, destination, ...more });
  await world.exchange(world.anyCaller(), ['POST', '/proxy', `/proxy${path}`], request, (got) => {
    if (got.status === 400)
      return [{ ...missed('proxy', 'invoke', world, references), entityId: anything, destination }];
    if (got.status === 403) return [deniedCall(got)];
    if (got.status === 200) requirePlaintext(got);
    const sent = references.length === 0 ? {} : { transforms: ['reveal'] };
    return [
      call('intent'),
      call(got.status === 200 ? 'success' : 'failed', sent),
      ...references.map(({ id, field }) =>
        record(typeOf(world, id), 'read', id, { transforms: ['reveal'], details: { fields: [field] }, destination }),
      ),
    ];
  });
}

/** Returns the record of a denied call. A key without the permission is refused before the destination is read. */
function deniedCall({ text }: TestResponse): ExpectedRecord {
  const isJudged = text.includes('on container');
  return record('proxy', 'invoke', anything, { outcome: 'denied', destination: isJudged ? destinationHost : null });
}

/** Checks what the destination received, which is echoed in the response. */
function requirePlaintext({ body }: TestResponse): void {
  const { values } = body as { values: unknown[] };
  for (const value of values) {
    if (!viewsOfReference(value).includes('reveal'))
      throw new Error('A destination got something else than plaintext.');
  }
}

function viewsOfReference(value: unknown): readonly string[] {
  const isWhole = typeof value === 'object' && value !== null && 'tenant_id' in value;
  return isWhole ? viewsOf(value as unknown as ShownToken) : viewsOfValue(value);
}

function missed(
  entityType: string,
  operation: string,
  world: SeenWorld,
  references: readonly { readonly id: string }[],
): ExpectedRecord {
  const found = references.filter(({ id }) => world.tokens.has(id)).length;
  const details = { found, missing: references.length - found };
  return record(entityType, operation, '*', { outcome: 'missed', details });
}
