import { setTimeout as pauseFor } from 'node:timers/promises';
import { OperatorError } from '../../../core/errors/operator-error.ts';
import { nameProcess } from '../process-name.ts';
import type { LinkedNode, MovePlaces } from './drawer-move.ts';
import { readIdentity } from './node-overview-store.ts';
import { beginUse, countStrangers, endUse } from './node-use-store.ts';

/** Connections of a process that has just ended may be there for a moment. */
const strangersLeaveMs = 5_000;
const pauseMs = 100;

/**
 * Notes at home that tokens lie on the target from now on, and on every other node that holds drawers. A process that was started before
 * it was added would not find them: while one is connected, an error for the operator is thrown. One that connects later is refused.
 */
export async function requireKnownByAll(places: MovePlaces): Promise<void> {
  const { home } = places;
  await requireNoStranger(places);
  const used = await listUsed(places);
  const begun = await home.link.transaction((tx) => beginUse(tx, used));
  try {
    // Once more: whoever connected before that was noted is seen now.
    await requireNoStranger(places);
  } catch (error) {
    await home.link.transaction((tx) => endUse(tx, begun));
    throw error;
  }
}

async function listUsed({ all, home, target }: MovePlaces): Promise<string[]> {
  const used: string[] = [];
  for (const node of all) {
    if (node !== home && (node === target || (await readIdentity(node.link)).held.size > 0)) used.push(node.name);
  }
  return used;
}

async function requireNoStranger({ all, home }: MovePlaces): Promise<void> {
  const giveUpAt = performance.now() + strangersLeaveMs;
  const name = nameOfAll(all, home);
  const count = () => home.link.transaction((tx) => countStrangers(tx, name));
  let strangers = await count();
  while (strangers > 0 && performance.now() < giveUpAt) {
    await pauseFor(pauseMs);
    strangers = await count();
  }
  if (strangers === 0) return;
  throw new OperatorError(
    `${strangers} connections to the home database are of servers or workers that do not know all nodes, and would not find tokens there. Nothing was moved. Restart every server and worker with STRONGROOM_NODES naming all nodes, then try again.`,
  );
}

function nameOfAll(all: readonly LinkedNode[], home: LinkedNode): string {
  return nameProcess(all.filter((node) => node !== home));
}
