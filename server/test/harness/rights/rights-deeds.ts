import { createApplication } from '../test-application.ts';
import type { TestRequest } from '../test-vault.ts';
import {
  dataShown,
  gainsBy,
  type Holder,
  least,
  type MaskName,
  masks,
  maySetViews,
  type ModelToken,
  recordedAs,
  shownBy,
  shownByEach,
  type Transform,
  transforms,
  viewOf,
  writeData,
} from './rights-model.ts';
import { noteChange } from './rights-approvals.ts';
import { type Caller, type Expected, type RightsWorld, tokenPermissions } from './rights-world.ts';

const mergePatch = { 'content-type': 'application/merge-patch+json' };

/** A request that can be repeated, and what its first response showed. */
interface Repeatable {
  readonly caller: Caller;
  readonly token: ModelToken;
  readonly request: readonly [method: string, path: string, request: TestRequest];
  readonly transform: Transform;
  readonly containers: readonly string[];
  readonly writes: number;
}
const repeatables = new WeakMap<RightsWorld, Repeatable[]>();

function maskOf(name: MaskName): object {
  const { expression } = masks[name];
  return expression === undefined ? {} : { mask: expression };
}

function idempotency(world: RightsWorld): Readonly<Record<string, string>> {
  return world.random.chance(0.5) ? { 'bt-idempotency-key': world.random.uuid() } : {};
}

function remember(world: RightsWorld, one: Repeatable): void {
  if (one.caller.holder.kind === 'session' || one.request[2].headers?.['bt-idempotency-key'] === undefined) return;
  repeatables.set(world, [...(repeatables.get(world) ?? []).slice(-20), one]);
}

export async function createToken(world: RightsWorld): Promise<void> {
  const { random } = world;
  const caller = world.anyCaller();
  const data = world.randomData();
  const containers = world.randomContainers();
  const mask = random.pick(Object.keys(masks) as MaskName[]);
  const found = random.pick(['ofType', 'whole'] as const);
  const body = {
    type: 'token',
    data,
    containers,
    ...maskOf(mask),
    ...(found === 'whole' ? { search_indexes: ['{{ data }}'] } : {}),
  };
  const token: ModelToken = {
    id: '',
    data,
    containers,
    mask: viewOf(mask, caller.holder, containers),
    index: viewOf(found, caller.holder, containers),
    isGone: false,
    writes: 0,
  };
  const transform = shownByEach(caller.holder, 'token:create', containers);
  const request = ['POST', '/tokens', { body, headers: idempotency(world) }] as const;
  const answer = await world.expect(caller, request, () =>
    transform === undefined ? { status: 403 } : { status: 201 },
  );
  if (answer.status !== 201 || transform === undefined) return;
  const made = { ...token, id: (answer.body as { id: string }).id };
  compareData(world, answer.body, made, transform);
  world.note(caller, made, recordedAs(made, transform));
  world.tokens.push(made);
  remember(world, { caller, token: made, request, transform, containers, writes: 0 });
}

/**
 * Compares the data in the response to a create. The model cannot expect it in advance, because only the
 * response names the token's id.
 */
function compareData(world: RightsWorld, body: unknown, token: ModelToken, transform: Transform): void {
  const { data } = body as { data?: unknown };
  if (JSON.stringify(data) !== JSON.stringify(dataShown(token, transform)))
    world.differences.push(`A new token ${token.id} showed ${JSON.stringify(data)} through ${transform}.`);
}

function shownOnce(token: ModelToken, transform: Transform, status = 200): Expected {
  return { status, shown: [{ token, transform, data: dataShown(token, transform) }] };
}

export async function getToken(world: RightsWorld): Promise<void> {
  const [caller, token] = [world.anyCaller(), world.anyToken()];
  if (token === undefined) return;
  await world.expect(caller, ['GET', `/tokens/${token.id}`, {}], () => {
    const isGranted = mayAnywhere(caller, 'token:read');
    if (!isGranted) return { status: 403 };
    if (token.isGone) return { status: 404 };
    const transform = shownBy(caller.holder, 'token:read', token.containers);
    return transform === undefined ? { status: 403 } : shownOnce(token, transform);
  });
}

/** Returns true if any rule has the permission. Otherwise, a request is refused before any lookup. */
export function mayAnywhere({ holder }: Caller, permission: string): boolean {
  const has = ({ permissions, rules }: typeof holder.rights) =>
    permissions.includes(permission) || rules.some((rule) => rule.permissions.includes(permission));
  return has(holder.rights) && (holder.authorizer === undefined || has(holder.authorizer.rights));
}

/** Changes the metadata, data, mask or containers, or several of them. */
export async function patchToken(world: RightsWorld): Promise<void> {
  const { random } = world;
  const [caller, token] = [world.anyCaller(), world.anyToken()];
  if (token === undefined) return;
  const data = random.chance(0.5) ? world.randomData() : undefined;
  const mask = random.chance(0.3) ? random.pick(['nothing', 'last', 'whole', 'halves'] as const) : undefined;
  const goes = random.chance(0.35) ? world.randomContainers() : undefined;
  const body = {
    metadata: { n: String(random.below(9)) },
    ...(data === undefined ? {} : { data }),
    ...(mask === undefined ? {} : { mask: masks[mask].expression }),
    ...(goes === undefined ? {} : { containers: goes }),
  };
  const request = [
    'PATCH',
    `/tokens/${token.id}`,
    { body, headers: { ...mergePatch, ...idempotency(world) } },
  ] as const;
  const isView = mask !== undefined && data === undefined;
  const patched = { ...token };
  let transform: Transform | undefined;
  const answer = await world.expect(caller, request, () => {
    if (!mayAnywhere(caller, 'token:update')) return { status: 403 };
    if (token.isGone) return { status: 404 };
    transform = judgePatch(caller, token, { isView, goes });
    if (transform === undefined) return { status: 403 };
    applyPatch(patched, caller, { data, mask, goes });
    return shownOnce(patched, transform);
  });
  // Setting a view of stored data counts as reading it. An attempt counts too, because its failure reveals something.
  const isAuthor = isView && answer.status !== 401 && !token.isGone && maySetViews(caller.holder, token.containers);
  if (isAuthor) world.note(caller, token, 'reveal');
  if (answer.status !== 200) return;
  Object.assign(token, patched);
  if (transform !== undefined)
    remember(world, { caller, token, request, transform, containers: token.containers, writes: -1 });
}

function judgePatch(
  { holder }: Caller,
  { containers }: ModelToken,
  { isView, goes = containers }: { isView: boolean; goes: readonly string[] | undefined },
): Transform | undefined {
  const updating = shownBy(holder, 'token:update', containers);
  if (updating === undefined || (isView && !maySetViews(holder, containers))) return undefined;
  const changed = [
    ...containers.filter((one) => !goes.includes(one)),
    ...goes.filter((one) => !containers.includes(one)),
  ];
  if (changed.length === 0) return updating;
  const moving = shownByEach(holder, 'token:update', changed);
  if (moving === undefined || (gainsBy(holder, containers, goes) && !maySetViews(holder, containers))) return undefined;
  return least(updating, moving);
}

function applyPatch(
  token: ModelToken,
  { holder }: Caller,
  {
    data,
    mask,
    goes = token.containers,
  }: { data?: string | undefined; mask?: MaskName | undefined; goes?: readonly string[] | undefined },
): void {
  if (data !== undefined) writeData(token, data, goes);
  token.containers = goes;
  // Removing a mask with null restores the type's mask.
  if (mask !== undefined) token.mask = viewOf(mask === 'nothing' ? 'ofType' : mask, holder, goes);
  token.writes += 1;
}

/** Searches for a token by its id, or by a value that the caller may know. */
export async function searchTokens(world: RightsWorld): Promise<void> {
  const [caller, token] = [world.anyCaller(), world.anyToken()];
  if (token === undefined) return;
  const isByData = world.random.chance(0.5);
  const query = isByData ? `data:${token.data}` : `id:${token.id}`;
  const shown = () => {
    const transform = token.isGone ? undefined : shownBy(caller.holder, 'token:search', token.containers);
    const isInSight = world.approvers === undefined ? transform !== 'redact' : transform === 'reveal';
    const isFound = !isByData || (token.index.name === 'whole' && isInSight);
    return transform === undefined || !isFound ? [] : [{ token, transform, data: dataShown(token, transform) }];
  };
  let wanted: ReturnType<typeof shown> = [];
  const answer = await world.expect(caller, ['POST', '/tokens/search', { body: { query } }], () => {
    if (!mayAnywhere(caller, 'token:search')) return { status: 403 };
    wanted = shown();
    return { status: 200, shown: wanted };
  });
  if (answer.status !== 200) return;
  const { data } = answer.body as { data: { id: string; data?: unknown }[] };
  const got = JSON.stringify(data.map((one) => [one.id, one.data]));
  const expected = JSON.stringify(wanted.map((one) => [one.token.id, one.data]));
  if (got !== expected)
    world.differences.push(`${caller.holder.name} searched ${query}: ${got} instead of ${expected}`);
}

/** Repeats a request. Later changes to the token may be shown only to callers who may read it. */
export async function repeatRequest(world: RightsWorld): Promise<void> {
  const known = repeatables.get(world) ?? [];
  if (known.length === 0) return;
  const one = world.random.pick(known.slice(-3));
  const { caller, token, request, transform, containers, writes } = one;
  const { holder } = caller;
  const isCreate = request[0] === 'POST';
  await world.expect(caller, request, () => {
    if (!mayAnywhere(caller, isCreate ? 'token:create' : 'token:update')) return { status: 403 };
    const now = isCreate
      ? shownByEach(holder, 'token:create', containers)
      : token.isGone
        ? undefined
        : shownBy(holder, 'token:update', token.containers);
    if (isCreate && now === undefined) return { status: 403 };
    if (token.isGone) return { status: 404 };
    if (now === undefined) return { status: 403 };
    const still = least(transform, now);
    if (!isCreate || token.writes === writes) return shownOnce(token, still, isCreate ? 201 : 200);
    const reading = shownBy(holder, 'token:read', token.containers);
    return shownOnce(token, reading === undefined ? 'redact' : least(still, reading), 201);
  });
}

export async function deleteToken(world: RightsWorld): Promise<void> {
  const [caller, token] = [world.anyCaller(), world.anyToken()];
  if (token === undefined) return;
  const answer = await world.expect(caller, ['DELETE', `/tokens/${token.id}`, {}], () => {
    if (!mayAnywhere(caller, 'token:delete')) return { status: 403 };
    if (token.isGone) return { status: 404 };
    return { status: shownBy(caller.holder, 'token:delete', token.containers) === undefined ? 403 : 204 };
  });
  if (answer.status === 204) token.isGone = true;
}

export async function changeRights(world: RightsWorld): Promise<void> {
  const caller = world.anyGrounds();
  const { holder, applicationId } = caller;
  if (applicationId === undefined || holder.isGone || holder.kind === 'session') return;
  const rights = world.randomRights(holder.kind);
  const body = { name: holder.name, ...rights };
  const key = world.tenant.keys.management;
  const answer = await world.vault.request('PUT', `/applications/${applicationId}`, { key, body });
  await noteChange(world, caller, { rights, answer, requester: undefined });
}

export async function revokeKey(world: RightsWorld): Promise<void> {
  const caller = world.anyCaller();
  if (caller.applicationId === undefined || caller.isRevoked) return;
  const path = `/applications/${caller.applicationId}/keys/${caller.keyId}`;
  const answer = await world.vault.request('DELETE', path, { key: world.tenant.keys.management });
  if (answer.status !== 204) return;
  caller.isRevoked = true;
  endSessionsOf(world, caller);
  await world.settle();
}

export async function deleteApplication(world: RightsWorld): Promise<void> {
  const caller = world.anyCaller();
  if (caller.applicationId === undefined || caller.holder.isGone) return;
  const path = `/applications/${caller.applicationId}`;
  const answer = await world.vault.request('DELETE', path, { key: world.tenant.keys.management });
  if (answer.status !== 204) return;
  caller.holder.isGone = true;
  endSessionsOf(world, caller);
  await world.settle();
}

function endSessionsOf(world: RightsWorld, { holder }: Caller): void {
  for (const session of world.callers) if (session.holder.authorizer === holder) session.isRevoked = true;
}

export async function endSession(world: RightsWorld): Promise<void> {
  const session = world.callers.find(({ sessionId, isRevoked }) => sessionId !== undefined && !isRevoked);
  if (session?.sessionId === undefined) return;
  const path = `/sessions/${session.sessionId}`;
  const answer = await world.vault.request('DELETE', path, { key: world.tenant.keys.management });
  if (answer.status !== 204) world.differences.push(`A session was not ended: ${answer.status} ${answer.text}`);
  session.isRevoked = true;
  await world.settle();
}

/**
 * Replaces a caller with a session. The product decides whether the session gets the rights, and the model predicts
 * what it then sees.
 */
export async function authorizeSession(world: RightsWorld): Promise<void> {
  const authorizer = world.anyCaller();
  if (authorizer.holder.kind !== 'private' || authorizer.isRevoked || authorizer.holder.isGone) return;
  const rights = world.random.chance(0.5) ? authorizer.holder.rights : world.randomRights('private');
  const made = await world.vault.request('POST', '/sessions', { key: world.tenant.keys.public });
  const { session_key: key, nonce } = made.body as { session_key: string; nonce: string };
  const body = { nonce, ...rights };
  const answer = await world.vault.request('POST', '/sessions/authorize', { key: authorizer.key, body });
  if (answer.status !== 200) return;
  const listed = await world.vault.request('GET', '/sessions?size=1', { key: world.tenant.keys.management });
  const [{ id: keyId } = { id: '' }] = (listed.body as { data: { id: string }[] }).data;
  const name = `session of ${authorizer.holder.name}`;
  const holder = { name, kind: 'session', rights, authorizer: authorizer.holder, isGone: false } as const;
  const place = world.random.pick([...world.callers.keys()].filter((one) => world.callers[one] !== authorizer));
  world.callers[place] = {
    holder: { ...holder },
    key,
    keyId,
    sessionId: keyId,
    isRevoked: false,
  };
}

/** Creates an application with a management key that may not grant more than its limit. */
export async function makeWithinLimit(world: RightsWorld): Promise<void> {
  // Such a management application would itself need approval.
  if (world.approvers !== undefined) return;
  const { random } = world;
  const limit = {
    permissions: random.some(tokenPermissions, 0.7),
    containers: [random.pick(['/', '/a/', '/b/'])],
    transform: random.pick(transforms),
  };
  const { key } = await createApplication(world.vault, world.tenant, {
    name: 'Limited',
    type: 'management',
    permissions: ['application:create', 'application:read'],
    grant_limit: limit,
  });
  const rights = world.randomRights('private');
  const body = { name: 'Within', type: 'private', ...rights };
  const answer = await world.vault.request('POST', '/applications', { key, body });
  if (answer.status !== 201) return;
  const made: Holder = { name: 'made', kind: 'private', rights, isGone: false };
  for (const containers of [['/a/'], ['/b/'], ['/a/b/'], ['/a/', '/b/']]) {
    const isInside = containers.some((path) => limit.containers.some((covered) => path.startsWith(covered)));
    for (const permission of tokenPermissions) {
      const got = shownBy(made, permission, containers);
      if (got === undefined) continue;
      const isWithin = isInside && limit.permissions.includes(permission) && least(got, limit.transform) === got;
      if (!isWithin)
        world.differences.push(`A limit of ${JSON.stringify(limit)} let ${JSON.stringify(rights)} be made.`);
    }
  }
}
