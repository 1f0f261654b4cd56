import type { TestResponse } from '../test-vault.ts';
import { anything, type ExpectedRecord, record } from './expected-record.ts';
import { containers } from './random-rights.ts';
import { type KnownToken, recordable, refusalRecords, type SeenCaller, type SeenWorld } from './seen-world.ts';
import { type ShownToken, viewsOf } from './shown-view.ts';

const cardNumbers = ['4242424242424242', '5555555555554444', '378282246310005', '4000056655665556'] as const;
const mergePatch = { 'content-type': 'application/merge-patch+json' };

/** Returns a token to create. Its content is one of a few values, so that some already exist. */
export function randomToken(world: SeenWorld): Record<string, unknown> {
  const { random } = world;
  const isCard = random.chance(0.3);
  const content = isCard
    ? { type: 'card', data: { number: random.pick(cardNumbers), expiration_month: 12, expiration_year: 2050 } }
    : { type: 'token', data: `plain-${random.below(40)}`, mask: '{{ data | reveal_last: 1 }}' };
  const places = random.some(containers, 0.4).slice(0, 2);
  return {
    ...content,
    ...(places.length === 0 ? {} : { containers: places }),
    ...(random.chance(0.5) ? { search_indexes: [isCard ? '{{ data.number }}' : '{{ data }}'] } : {}),
    ...(random.chance(0.3) ? { metadata: { order: String(random.below(5)) } } : {}),
    ...(random.chance(0.3) ? { deduplicate_token: true } : {}),
  };
}

export async function createToken(world: SeenWorld): Promise<void> {
  const { random } = world;
  const caller = world.anyCaller();
  const body = randomToken(world);
  const id = random.chance(0.2) ? (random.chance(0.3) ? world.anyId() : `chosen-${random.below(30)}`) : undefined;
  const request = {
    body: { ...body, ...(id === undefined ? {} : { id }) },
    ...(random.chance(0.3) ? { headers: { 'bt-idempotency-key': random.uuid() } } : {}),
  };
  const answer = await world.exchange(caller, ['POST', '/tokens', '/tokens'], request, (got) => {
    if (got.status === 201) return [shown('create', got.body as ShownToken)];
    if (got.status === 200) return [foundRecord(world, got.body as ShownToken)];
    if (got.status === 409 && problemOf(got) === 'token-id-taken') {
      return [record('token', 'create', id ?? '', { outcome: 'failed', details: { found: 1 } })];
    }
    return refusalRecords(got, { entityType: 'token', operation: 'create', entityId: '*' });
  });
  if (answer.status !== 201 && answer.status !== 200) return;
  learn(world, answer.body as ShownToken, true);
  if ('headers' in request) {
    world.repeatables.push({ caller, method: 'POST', path: '/tokens', request, first: answer });
  }
}

export async function getToken(world: SeenWorld): Promise<void> {
  const id = world.anyId();
  await onToken(world, world.anyCaller(), { method: 'GET', id, operation: 'read' }, (got) =>
    got.status === 200 ? [shown('read', got.body as ShownToken)] : undefined,
  );
}

export async function deleteToken(world: SeenWorld): Promise<void> {
  const id = world.anyId();
  const answer = await onToken(world, world.anyCaller(), { method: 'DELETE', id, operation: 'delete' }, (got) =>
    got.status === 204 ? [record(typeOf(world, id), 'delete', id)] : undefined,
  );
  if (answer.status === 204) forget(world, id);
}

export async function patchToken(world: SeenWorld): Promise<void> {
  const { random } = world;
  const caller = world.anyCaller();
  const id = world.anyId();
  const patch = randomPatch(world, world.tokens.get(id));
  const body = random.chance(0.1) ? { ...patch, deduplicate_token: true } : patch;
  const isView = 'mask' in body;
  const key = random.chance(0.2) ? { 'bt-idempotency-key': random.uuid() } : {};
  const request = { body, headers: { ...mergePatch, ...key } };
  const wholeView = { transforms: ['reveal'], details: { via: 'view' } };
  const answer = await onToken(world, caller, { method: 'PATCH', id, operation: 'update', request }, (got) => {
    if (got.status === 400 && isView) {
      return [record(typeOf(world, id), 'update', id, { ...wholeView, outcome: 'failed' })];
    }
    if (got.status !== 200) return undefined;
    const token = got.body as ShownToken;
    return [shown('update', token), ...(isView ? [record(entityOf(token), 'read', id, wholeView)] : [])];
  });
  if (answer.status === 200 && 'bt-idempotency-key' in key) {
    const path = `/tokens/${encodeURIComponent(id)}`;
    world.repeatables.push({ caller, method: 'PATCH', path, request, first: answer });
  }
}

function randomPatch({ random }: SeenWorld, token: KnownToken | undefined): Record<string, unknown> {
  const isCard = token?.type === 'card';
  const place = isCard ? 'data.number' : 'data';
  const mask = `{{ ${place} | reveal_last: ${1 + random.below(3)} }}`;
  return random.pick<Record<string, unknown>>([
    { metadata: { order: String(random.below(5)) } },
    // A token without a mask stays in a container that no session can see, because it would look the same masked and
    // redacted.
    token?.hasMask === false ? {} : { containers: [random.pick(containers)] },
    { containers: ['not a container'] },
    isCard ? {} : { data: `plain-${random.below(40)}` },
    { mask: isCard ? { number: mask } : mask },
    { mask: isCard ? { number: mask } : mask },
    // This mask fails on the stored data, which reveals something about it.
    { mask: `{{ ${place} | to_boolean }}` },
  ]);
}

/** Repeats a request that has succeeded. Its response counts as a new read. */
export async function repeatRequest(world: SeenWorld): Promise<void> {
  if (world.repeatables.length === 0) return;
  const { caller, method, path, request, first } = world.random.pick(world.repeatables);
  const route = path.startsWith('/tokens/') ? '/tokens/{id}' : path;
  const via = { via: 'replay' };
  await world.exchange(caller, [method, route, path], request, (got) => {
    if (got.status === 404) return [missedReplay(first)];
    // The permission may be lost altogether or only for this token. In one case, the request is refused before the
    // replay.
    if (got.status === 403) return [record('token', anything, anything, { outcome: 'denied' })];
    if (got.status >= 300) return [];
    return shownIn(got.body).map((one) =>
      typeof one === 'string'
        ? record(typeOf(world, one), 'read', one, { details: via })
        : record(entityOf(one), 'read', one.id, { transforms: viewsOf(one), details: via }),
    );
  });
}

/** Expires a token without a request. */
export async function expireToken(world: SeenWorld): Promise<void> {
  if (world.tokens.size === 0) return;
  const id = world.random.pick([...world.tokens.keys()]);
  const { vault, tenant } = world.proxy;
  await vault.database.owner.query(
    `update tokens set expires_at = now() - interval '1 second', expires_at_offset_minutes = 0 where tenant_id = $1 and id = $2`,
    [tenant.id, id],
  );
  forget(world, id);
}

/** Returns the tokens anywhere in a response: whole ones, and ids of tokens that show nothing else. */
export function shownIn(body: unknown): (ShownToken | string)[] {
  if (typeof body === 'string') return [body];
  if (typeof body !== 'object' || body === null) return [];
  if ('tenant_id' in body) return [body as unknown as ShownToken];
  return Object.values(body).flatMap(shownIn);
}

export function shown(operation: string, token: ShownToken, more: Partial<ExpectedRecord> = {}): ExpectedRecord {
  return record(entityOf(token), operation, token.id, { transforms: viewsOf(token), ...more });
}

/** Returns the record of a create that found an existing token. */
export function foundRecord(world: SeenWorld, token: ShownToken): ExpectedRecord {
  return shown(world.isUpdatingDuplicates ? 'update' : 'read', token, { details: { via: 'duplicate' } });
}

export function entityOf({ type }: Pick<ShownToken, 'type'>): string {
  return type === 'card' ? 'card' : 'token';
}

export function typeOf(world: SeenWorld, id: string): string {
  return entityOf(world.tokens.get(id) ?? { type: 'token' });
}

export function learn(world: SeenWorld, { id, type }: Pick<ShownToken, 'id' | 'type'>, hasMask: boolean): void {
  if (!world.tokens.has(id)) world.tokens.set(id, { id, type, hasMask });
}

function forget(world: SeenWorld, id: string): void {
  world.tokens.delete(id);
  world.gone.push(id);
}

/** Returns the record of a missed replay. The id belonged to a token, so it is recorded regardless of its format. */
function missedReplay({ body }: TestResponse): ExpectedRecord {
  const ids = shownIn(body).map((one) => (typeof one === 'string' ? one : one.id));
  const [id = anything] = ids.length === 1 ? ids : [];
  return record('token', 'read', id, { outcome: 'missed', details: { via: 'replay', missing: 1 } });
}

/** Sends a request on one token. If `expect` returns undefined, the usual records of a refusal are expected. */
async function onToken(
  world: SeenWorld,
  caller: SeenCaller,
  { method, id, operation, request = {} }: { method: string; id: string; operation: string; request?: object },
  expect: (answer: TestResponse) => readonly ExpectedRecord[] | undefined,
): Promise<TestResponse> {
  const refused = { entityType: 'token', operation, entityId: recordable(id) };
  return world.exchange(
    caller,
    [method, '/tokens/{id}', `/tokens/${encodeURIComponent(id)}`],
    request,
    (got) => expect(got) ?? refusalRecords(got, refused),
  );
}

function problemOf({ body }: TestResponse): string | undefined {
  return (body as { type?: string } | undefined)?.type?.split('/').at(-1);
}
