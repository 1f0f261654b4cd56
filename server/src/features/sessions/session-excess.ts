import type { AccessRule } from '../../core/access/access-rule.ts';
import type { Excess } from '../../core/access/find-excess.ts';

const limit = 'A session cannot have more access than the application that authorizes it.';

/** Returns a message that says what the authorizing application lacks. */
export function describeExcess({ rule, permission, lacks }: Excess): string {
  if (lacks === 'permission') return `Missing permission: ${permission}. ${limit}`;
  if (lacks === 'container') return `Missing permission: ${permission}${placeOf(rule)}. ${limit}`;
  const { shownAs, by } = lacks;
  const missing = `Missing transform: ${rule.transform} for ${permission}${placeOf(rule)}`;
  const held = `The authorizing application has ${shownAs}${placeOf(by)}`;
  const isElsewhere = by.container !== undefined && rule.container?.startsWith(by.container) !== true;
  const advice =
    ' A token can be in several containers: first give the session the same rule, or request that transform.';
  return `${missing}. ${held}.${isElsewhere ? advice : ''} ${limit}`;
}

/** Names containers but not ids, because an id may be any text that its creator chose. */
function placeOf({ container, conditions = [] }: AccessRule): string {
  if (container !== undefined) return ` on container ${container}`;
  const containers = conditions.filter(({ attribute }) => attribute === 'container').map(({ value }) => value);
  return containers.length === 0 ? ' on tokens referenced by id' : ` on container ${containers.join(', ')}`;
}
