/*
 * A minimal model of who may see what. It shares no code with the product, so that it does not
 * repeat the product's mistakes.
 */

export const transforms = ['redact', 'mask', 'reveal'] as const;
export type Transform = (typeof transforms)[number];

export interface Rule {
  readonly priority: number;
  readonly container: string;
  readonly transform: Transform;
  readonly permissions: readonly string[];
}

export interface Rights {
  readonly permissions: readonly string[];
  readonly rules: readonly Rule[];
}

/** An application, or a session with its authorizer. */
export interface Holder {
  readonly name: string;
  readonly kind: 'private' | 'public' | 'session';
  rights: Rights;
  readonly authorizer?: Holder;
  isGone: boolean;
}

/** The masks, and what each shows of the data, which is 24 letters. */
export const masks = {
  ofType: { expression: undefined, show: () => undefined },
  nothing: { expression: null, show: () => undefined },
  last: { expression: '{{ data | reveal_last: 4 }}', show: (data: string) => 'X'.repeat(20) + data.slice(-4) },
  whole: { expression: '{{ data }}', show: (data: string) => data },
  halves: {
    expression: ['{{ data | slice: 0, 12 }}', '{{ data | slice: 12, 12 }}'],
    show: (data: string) => [data.slice(0, 12), data.slice(12)],
  },
} as const;
export type MaskName = keyof typeof masks;

interface View<Name> {
  readonly name: Name;
  /** Undefined if the author could not see the plaintext. */
  readonly author?: Holder | undefined;
}

export interface ModelToken {
  readonly id: string;
  data: string;
  containers: readonly string[];
  mask: View<MaskName>;
  index: View<'ofType' | 'whole'>;
  isGone: boolean;
  writes: number;
}

/** A value that is kept for a day, and belongs to nobody until somebody makes it a token. */
export interface ModelIntent {
  readonly id: string;
  readonly data: string;
  isGone: boolean;
}

/** Returns how much of a token the holder sees with one permission, or undefined if the permission is not granted. */
export function shownBy(holder: Holder, permission: string, containers: readonly string[]): Transform | undefined {
  if (holder.isGone) return undefined;
  const own = firstRule(holder.rights, permission, containers)?.transform;
  if (holder.authorizer === undefined || own === undefined) return own;
  const limit = shownBy(holder.authorizer, permission, containers);
  return limit === undefined ? undefined : least(own, limit);
}

/** Returns the same if the permission is needed for every container individually, as for tokens that are put there. */
export function shownByEach(holder: Holder, permission: string, containers: readonly string[]): Transform | undefined {
  const each = containers.map((container) => shownBy(holder, permission, [container]));
  return each.reduce((all, one) => (all === undefined || one === undefined ? undefined : least(all, one)), 'reveal');
}

function firstRule(
  { permissions, rules }: Rights,
  permission: string,
  containers: readonly string[],
): Rule | undefined {
  const plain: Rule = {
    priority: Infinity,
    container: '/',
    transform: permission === 'token:use' ? 'reveal' : 'mask',
    permissions,
  };
  return [...rules.toSorted((a, b) => a.priority - b.priority), plain].find(
    (rule) => rule.permissions.includes(permission) && containers.some((path) => path.startsWith(rule.container)),
  );
}

export function least(one: Transform, other: Transform): Transform {
  return transforms.indexOf(one) < transforms.indexOf(other) ? one : other;
}

/** Returns true if the holder may set views of stored data. */
export function maySetViews(holder: Holder, containers: readonly string[]): boolean {
  const updating = shownBy(holder, 'token:update', containers);
  if (updating === undefined) return false;
  if (updating === 'reveal' || shownBy(holder, 'token:read', containers) === 'reveal') return true;
  return holder.kind === 'private' && firstRule(holder.rights, 'token:update', containers)?.priority === Infinity;
}

export function seesPlaintext(holder: Holder, containers: readonly string[]): boolean {
  const ways = ['token:read', 'token:search', 'token:update', 'token:use'];
  return maySetViews(holder, containers) || ways.some((way) => shownBy(holder, way, containers) === 'reveal');
}

/** Returns true if the holder may move tokens out of these containers. */
export function mayMove(holder: Holder, containers: readonly string[]): boolean {
  return shownBy(holder, 'token:update', containers) !== undefined;
}

/** Returns true if the holder would see or find more of a token in the other containers. */
export function gainsBy(holder: Holder, from: readonly string[], to: readonly string[]): boolean {
  const most = (ways: readonly string[], containers: readonly string[]) =>
    Math.max(...ways.map((way) => transforms.indexOf(shownBy(holder, way, containers) ?? 'redact')));
  const reading = ['token:read', 'token:search', 'token:update'];
  return [reading, ['token:search'], ['token:use']].some((some) => most(some, to) > most(some, from));
}

/** Returns a view with its author. The author is recorded only if it is an application that sees the plaintext. */
export function viewOf<Name>(name: Name, author: Holder, containers: readonly string[]): View<Name> {
  return { name, author: author.kind !== 'session' && seesPlaintext(author, containers) ? author : undefined };
}

/**
 * Writes data to a token. A view falls back to the type's view if its author may not see the plaintext in both the
 * old and the new containers.
 */
export function writeData(token: ModelToken, data: string, goes: readonly string[]): void {
  const isVouchedFor = ({ author }: View<unknown>) =>
    author !== undefined && [token.containers, goes].every((containers) => seesPlaintext(author, containers));
  if (token.mask.name !== 'nothing' && !isVouchedFor(token.mask)) token.mask = { name: 'ofType' };
  if (!isVouchedFor(token.index)) token.index = { name: 'ofType' };
  token.data = data;
}

/** Returns what a response shows of the data. */
export function dataShown({ mask, data }: ModelToken, transform: Transform): unknown {
  if (transform === 'reveal') return data;
  return transform === 'mask' ? masks[mask.name].show(data) : undefined;
}

/** Returns the transform that the log records. A mask that shows everything counts as reveal. */
export function recordedAs({ mask }: ModelToken, transform: Transform): Transform {
  return transform === 'mask' && (mask.name === 'whole' || mask.name === 'halves') ? 'reveal' : transform;
}
