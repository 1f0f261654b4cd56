import type { Schemas } from '../../api/client';

type Way = Schemas['AccessWay']['way'];

/** Ways to see a token. Each text completes the phrase "can see it by". */
const words: Readonly<Record<Way, string>> = {
  'token:read': 'reading it',
  'token:search': 'searching',
  'token:update': 'updating it',
  'token:use': 'sending it to other services',
  'authoring-views': 'setting a mask over its data',
  'handing-out-rights': 'creating or changing applications',
  'making-members': 'making members, who approve exports',
  'approving-exports': 'approving an export',
  'accepting-an-invitation': 'accepting the invitation and approving an export',
};

export function sayWay(way: Way): string {
  return words[way];
}
