import { type Decision, type Sight, sightKinds, sightWords } from '../../../parts/access/words';
import type { SightKind } from '../../../parts/show/sight';

/**
 * The container or token that was compared. If rules name other containers, the root represents all containers that no
 * rule names.
 */
export type Place = { readonly container: string; readonly isElsewhere: boolean } | { readonly token: string };

const ranks: readonly (Sight | undefined)[] = [undefined, 'nothing', 'masked', 'plaintext'];
const sayOf = (sight: Sight) => sightWords[sight].toLowerCase();

interface Deed {
  /** The words that follow "able to" in a sentence. */
  readonly verb: string;
  /** Qualifies the tokens whose data this permission shows, such as " that it finds". Absent if it shows no data. */
  readonly shown?: string;
}

const deeds: Readonly<Record<string, Deed>> = {
  'token:create': { verb: 'create', shown: ' that it creates' },
  'token:read': { verb: 'read', shown: '' },
  'token:update': { verb: 'update', shown: ' that it updates' },
  'token:delete': { verb: 'delete' },
  'token:search': { verb: 'search', shown: ' that it finds' },
  'token:use': { verb: 'send to other services the plaintext of' },
};

/**
 * Describes the effect of a decision. Decisions with the same effect get the same text, even if different rules led to
 * them.
 */
export function effectOf({ permission, is_allowed: isAllowed, sees }: Decision): string {
  if (!isAllowed) return 'Denied';
  return sees === undefined || deeds[permission]?.shown === undefined ? 'Allowed' : `Allowed, ${sayOf(sees.data)}`;
}

/** Returns the mark of a decision. Using a value sends its plaintext to somebody else. */
export function sightOfDecision({ permission, is_allowed: isAllowed, sees }: Decision): SightKind {
  if (!isAllowed) return 'denied';
  if (permission === 'token:use') return 'plaintext';
  return sees === undefined ? 'none' : sightKinds[sees.data];
}

export function isMore(old: Decision, next: Decision): boolean {
  return rankOf(next) > rankOf(old);
}

function rankOf({ is_allowed: isAllowed, sees }: Decision): number {
  return isAllowed ? ranks.indexOf(sees?.data) + 1 : 0;
}

/** Describes a change, such as "Support desk would see plaintext of tokens in /pci/ instead of masked data." */
export function sayChange(name: string, place: Place, old: Decision, next: Decision): string {
  const { verb, shown } = deeds[old.permission] ?? { verb: `have ${old.permission} for` };
  const tokens = nameTokens(place);
  if (!next.is_allowed) return `${name} could no longer ${verb} ${tokens}.`;
  const able = old.is_allowed ? '' : `would be able to ${verb} ${tokens}`;
  if (next.authors_views === true && old.authors_views !== true) {
    const masks = able === '' ? `could set the masks of ${tokens}` : `${able} and to set their masks`;
    return `${name} ${masks}, which amounts to reading plaintext.`;
  }
  const seen = next.sees === undefined || shown === undefined ? '' : sayOf(next.sees.data);
  if (able !== '') return `${name} ${able}${seen === '' ? '' : `, and would see ${seen}`}.`;
  const before = old.sees === undefined ? '' : ` instead of ${sayOf(old.sees.data)}`;
  return `${name} would see ${seen} of ${tokens}${shown ?? ''}${before}.`;
}

function nameTokens(place: Place): string {
  if ('token' in place) return `token ${place.token}`;
  if (place.isElsewhere) return 'tokens in all other containers';
  return place.container === '/' ? 'all tokens' : `tokens in ${place.container}`;
}
