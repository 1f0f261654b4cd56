import { mayAnywhere } from './rights-deeds.ts';
import {
  dataShown,
  gainsBy,
  type Holder,
  least,
  type MaskName,
  masks,
  maySetViews,
  type ModelIntent,
  type ModelToken,
  recordedAs,
  seesPlaintext,
  shownBy,
  shownByEach,
  type Transform,
  viewOf,
} from './rights-model.ts';
import type { Caller, RightsWorld } from './rights-world.ts';

/** An intent counts as being in the containers that a token of its type has by default. */
const home = ['/general/high/'] as const;

export async function createIntent(world: RightsWorld): Promise<void> {
  const caller = world.anyCaller();
  const data = world.randomData();
  const body = { type: 'token', data };
  // Nothing of the data is in the response, whatever the caller may see.
  const answer = await world.expect(caller, ['POST', '/token-intents', { body }], () => ({
    status: shownByEach(caller.holder, 'token-intent:create', home) === undefined ? 403 : 201,
  }));
  if (answer.status === 201) world.intents.push({ id: (answer.body as { id: string }).id, data, isGone: false });
}

export async function readIntent(world: RightsWorld): Promise<void> {
  const [caller, intent] = [world.anyCaller(), world.anyIntent()];
  if (intent === undefined) return;
  await world.expect(caller, ['GET', `/token-intents/${intent.id}`, {}], () => ({
    status: judge(caller, 'token-intent:read', intent, 200),
  }));
}

export async function deleteIntent(world: RightsWorld): Promise<void> {
  const [caller, intent] = [world.anyCaller(), world.anyIntent()];
  if (intent === undefined) return;
  const answer = await world.expect(caller, ['DELETE', `/token-intents/${intent.id}`, {}], () => ({
    status: judge(caller, 'token-intent:delete', intent, 204),
  }));
  if (answer.status === 204) intent.isGone = true;
}

function judge(caller: Caller, permission: string, intent: ModelIntent, success: number): number {
  if (!mayAnywhere(caller, permission)) return 403;
  if (intent.isGone) return 404;
  return shownBy(caller.holder, permission, home) === undefined ? 403 : success;
}

/** Makes an intent a token, in its own containers or others, with views of data that the caller may not know. */
export async function convertIntent(world: RightsWorld): Promise<void> {
  const { random } = world;
  const [caller, intent] = [world.anyCaller(), world.anyIntent()];
  if (intent === undefined) return;
  const containers = random.chance(0.4) ? home : world.randomContainers();
  const mask = random.pick(Object.keys(masks) as MaskName[]);
  const found = random.pick(['ofType', 'whole'] as const);
  const { expression } = masks[mask];
  const body = {
    type: 'token',
    token_intent_id: intent.id,
    containers,
    ...(expression === undefined ? {} : { mask: expression }),
    ...(found === 'whole' ? { search_indexes: ['{{ data }}'] } : {}),
  };
  const { holder } = caller;
  const draft: ModelToken = {
    id: '',
    data: intent.data,
    containers,
    mask: viewOf(mask, holder, containers),
    index: viewOf(found, holder, containers),
    isGone: false,
    writes: 0,
  };
  const transform = transformOfResponse(holder, containers);
  const shown = transform === undefined ? undefined : dataShown(draft, transform);
  const answer = await world.expect(caller, ['POST', '/tokens', { body }], () => ({
    status: judgeConversion(holder, intent, { containers, mask }),
    mayContain: shown,
  }));
  if (answer.status !== 201 || transform === undefined) return;
  intent.isGone = true;
  const { id, data } = answer.body as { id: string; data?: unknown };
  if (JSON.stringify(data) !== JSON.stringify(shown))
    world.differences.push(`A token made of an intent showed ${JSON.stringify(data)} through ${transform}.`);
  const token = { ...draft, id };
  world.note(caller, token, recordedAs(token, transform));
  world.tokens.push(token);
}

/** A caller that has not sent the data itself sees all of it only if it may read it. */
function transformOfResponse(holder: Holder, containers: readonly string[]): Transform | undefined {
  const creating = shownByEach(holder, 'token:create', containers);
  if (creating === undefined) return undefined;
  return shownBy(holder, 'token:read', containers) === 'reveal' ? creating : least(creating, 'mask');
}

function judgeConversion(
  holder: Holder,
  intent: ModelIntent,
  { containers, mask }: { readonly containers: readonly string[]; readonly mask: MaskName },
): number {
  if (shownByEach(holder, 'token:create', containers) === undefined) return 403;
  if (intent.isGone) return 400;
  const isMove = containers.length !== 1 || containers[0] !== home[0];
  if (isMove && shownBy(holder, 'token:update', home) === undefined) return 403;
  if (gainsBy(holder, home, containers) && !maySetViews(holder, home)) return 403;
  const isHarmless = mask !== 'whole' && mask !== 'halves';
  return isHarmless || seesPlaintext(holder, containers) ? 201 : 400;
}
