import type { Application } from '../../../api/applications';
import { explainApplication, explainDraft, isAboutTokens, type Target } from '../../../parts/access/explain';
import type { Rights } from '../../../parts/access/rights';
import type { Decision } from '../../../parts/access/words';
import type { SightKind } from '../../../parts/show/sight';
import { effectOf, isMore, sayChange, sightOfDecision, type Place } from './difference-words';

/** A permission that an edit adds or removes, or for which it changes how much data is shown. */
export interface DifferenceLine {
  readonly key: string;
  readonly place: string;
  readonly permission: string;
  readonly before: string;
  readonly after: string;
  readonly beforeSight: SightKind;
  readonly afterSight: SightKind;
  readonly words: string;
  readonly isMore: boolean;
  /** True if the edit shows plaintext that was not shown before. */
  readonly showsPlaintext: boolean;
}

export interface Difference {
  readonly lines: readonly DifferenceLine[];
  /** The number of containers that were not compared because there are too many. */
  readonly left: number;
}

/** Each container costs two requests. */
const containersMax = 40;

/**
 * Finds the effects of new rights in every container that an old or new rule names, in all other containers, and on the
 * given tokens. The vault makes both decisions, so that no access logic is duplicated here.
 */
export async function findDifference(
  application: Application,
  change: { readonly before: Rights; readonly after: Rights; readonly tokens: readonly string[] },
): Promise<Difference> {
  const { before, after, tokens } = change;
  const containers = namedContainers(before, after);
  const looked = containers.slice(0, containersMax);
  const places: Place[] = [
    ...looked.map((container) => ({ container, isElsewhere: container === '/' && containers.length > 1 })),
    ...tokens.map((token) => ({ token })),
  ];
  const lines = await Promise.all(places.map((place) => compare(application, after, place)));
  return {
    lines: [...lines.flat(), ...comparePlain(application.name, before, after)],
    left: containers.length - looked.length,
  };
}

/** Lists the containers that rules name, and the root, which represents all others. */
function namedContainers(...all: readonly Rights[]): string[] {
  const named = all.flatMap(({ rules }) => rules.map(({ container }) => container.toLowerCase()));
  return [...new Set([...named.toSorted(), '/'])];
}

async function compare(application: Application, after: Rights, place: Place): Promise<DifferenceLine[]> {
  const target: Target = place;
  const [old, changed] = await Promise.all([
    explainApplication(application.id, target),
    explainDraft(after, application.type, target),
  ]);
  return old.decisions.flatMap((decision) => {
    const next = changed.decisions.find(({ permission }) => permission === decision.permission);
    return next === undefined ? [] : toLines(application.name, place, decision, next);
  });
}

function toLines(name: string, place: Place, old: Decision, next: Decision): DifferenceLine[] {
  const [before, after] = [effectOf(old), effectOf(next)];
  if (before === after) return [];
  const shown = 'token' in place ? place.token : place.container;
  return [
    {
      key: `${shown} ${old.permission}`,
      place: shown,
      permission: old.permission,
      before,
      after,
      beforeSight: sightOfDecision(old),
      afterSight: sightOfDecision(next),
      words: sayChange(name, place, old, next),
      isMore: isMore(old, next),
      showsPlaintext: isMore(old, next) && (sightOfDecision(next) === 'plaintext' || next.authors_views === true),
    },
  ];
}

/** Compares permissions that are not about tokens. They apply to the whole tenant. */
function comparePlain(name: string, before: Rights, after: Rights): DifferenceLine[] {
  const [old, next] = [before, after].map((rights) => new Set(grantedIn(rights).filter((one) => !isAboutTokens(one))));
  if (old === undefined || next === undefined) return [];
  return [...old.symmetricDifference(next)].map((permission) => {
    const isGained = next.has(permission);
    return {
      key: permission,
      place: 'the tenant',
      permission,
      before: isGained ? 'Denied' : 'Allowed',
      after: isGained ? 'Allowed' : 'Denied',
      beforeSight: isGained ? 'denied' : 'none',
      afterSight: isGained ? 'none' : 'denied',
      words: `${name} ${isGained ? 'would gain' : 'would lose'} ${permission}.`,
      isMore: isGained,
      showsPlaintext: false,
    };
  });
}

function grantedIn({ permissions, rules }: Rights): string[] {
  return [...permissions, ...rules.flatMap((rule) => rule.permissions)];
}
