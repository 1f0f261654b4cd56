/** The formats of values that the vault chooses. An example can show only one such value. */
const varying: readonly RegExp[] = [
  /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  /^key_test_(pvt|pub|mgt|sess)_[1-9A-HJ-NP-Za-km-z]{60,70}_[1-9A-HJ-NP-Za-km-z]{4,7}$/,
  // Fingerprints and nonces are 32 bytes in base58.
  /^[1-9A-HJ-NP-Za-km-z]{42,44}$/,
  /^whsec_[A-Za-z0-9+/]{43}=$/,
  /^proxy_[1-9A-HJ-NP-Za-km-z]{42,44}$/,
  // These are hashes and signatures.
  /^[A-Za-z0-9+/]{43}=$/,
  /^[A-Za-z0-9+/]{86}==$/,
];
/** At the end of a text, it stands for lines that differ every time, such as signed ones. */
const cut = '…';
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Members that are opaque to a client or differ every time. */
const opaque: ReadonlySet<string> = new Set(['next', 'trace_id', 'sealing_order', 'order_to', 'month']);
/** This member is written with a delay of a few seconds, so it may still be missing. */
const notedLater = 'last_used_at';
/** Larger numbers are times in milliseconds, as in the hashed form of an audit record. */
const milliseconds = 1e12;

/** A one-to-one mapping between the values of the examples and those of a vault. */
export class Bindings {
  #actual: ReadonlyMap<string, string>;
  #shown: ReadonlyMap<string, string>;
  readonly #offered: ReadonlyMap<string, string>;

  /** An offered value is bound only after a request has used it. Until then, a response may bind another value. */
  constructor(known: Iterable<readonly [string, string]>, offered: Iterable<readonly [string, string]> = []) {
    this.#actual = new Map(known);
    this.#shown = new Map([...this.#actual].map(([shown, actual]) => [actual, shown]));
    this.#offered = new Map(offered);
  }

  /** Returns a copy for a comparison that may fail halfway. */
  copy(): Bindings {
    return new Bindings(this.#actual, this.#offered);
  }

  take(other: Bindings): void {
    this.#actual = other.#actual;
    this.#shown = other.#shown;
  }

  /** Returns an example's text with the vault's values in place of its own. */
  toActual(text: string): string {
    for (const [shown, actual] of this.#offered) if (text.includes(shown)) this.bind(shown, actual);
    return [...this.#actual].reduce((rest, [shown, actual]) => rest.replaceAll(shown, actual), text);
  }

  /** Returns true if the two values match. Binds them if neither was bound before. */
  bind(shown: string, actual: string): boolean {
    const known = this.#actual.get(shown);
    if (known !== undefined || this.#shown.has(actual)) return known === actual;
    this.#actual = new Map([...this.#actual, [shown, actual]]);
    this.#shown = new Map([...this.#shown, [actual, shown]]);
    return true;
  }
}

/** Lists the differences between an actual response and its example, except for ids, times and secrets. */
export function listDifferences(shown: unknown, actual: unknown, bindings: Bindings, path = ''): string[] {
  if (path.endsWith(`.${notedLater}`) && actual === null) return [];
  const differs = () => [`${path}: ${JSON.stringify(actual)} instead of ${JSON.stringify(shown)}`];
  if (typeof shown === 'string' && typeof actual === 'string') {
    return isAlike(shown, actual, bindings, path) ? [] : differs();
  }
  if (typeof shown !== 'object' || typeof actual !== 'object' || shown === null || actual === null) {
    return shown === actual || (isTime(shown) && isTime(actual)) ? [] : differs();
  }
  if (Array.isArray(shown) !== Array.isArray(actual)) return differs();
  const [left, right] = [membersOf(shown), membersOf(actual)];
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return names.flatMap((name) => listDifferences(left[name], right[name], bindings, `${path}.${name}`));
}

function isAlike(shown: string, actual: string, bindings: Bindings, path: string): boolean {
  if (shown.endsWith(`\n${cut}`)) return actual.startsWith(shown.slice(0, -cut.length));
  if (shown.includes('\n')) return toForms(shown) === toForms(actual);
  if (timestamp.test(shown)) return timestamp.test(actual);
  if (opaque.has(path.slice(path.lastIndexOf('.') + 1))) return true;
  const form = varying.find((one) => one.test(shown));
  if (form !== undefined) return form.test(actual) && bindings.bind(shown, actual);
  return bindings.toActual(shown) === actual;
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && value > milliseconds;
}

/** Replaces the ids, keys and times in a text of several lines with placeholders. */
function toForms(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    .replaceAll(/[A-Za-z0-9+/]{43}=/g, 'key')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
}

/** Sorts lists whose items have a name or a role. The API sorts them by id, which is random. */
function membersOf(value: object): Readonly<Record<string, unknown>> {
  const nameOf = (item: unknown) => {
    const { name, role = '' } = (item ?? {}) as { readonly name?: string; readonly role?: string };
    return name ?? role;
  };
  if (Array.isArray(value)) return { ...value.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b))) };
  return value as Readonly<Record<string, unknown>>;
}
