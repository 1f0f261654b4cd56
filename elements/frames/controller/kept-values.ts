import { toDateText } from '../../protocol/date-text.ts';
import { isRecord, readText } from '../../protocol/parse.ts';
import type { FieldValue, ValueReference } from '../../protocol/messages.ts';

const keptMax = 100;
const leavesMax = 10_000;

/** Retrieved values. The page receives references to them, which it can put into a field. */
export class KeptValues {
  readonly #kept = new Map<string, ReadonlyMap<string, unknown>>();

  /** Stores a value and returns it with a reference in place of every leaf. */
  keep(value: unknown): unknown {
    const correlationId = crypto.randomUUID();
    const leaves = new Map<string, unknown>();
    const replaced = replaceLeaves(value, '', (path, leaf) => {
      if (leaves.size < leavesMax) leaves.set(path, leaf);
      return { correlationId, elementId: correlationId, path } satisfies ValueReference;
    });
    this.#kept.set(correlationId, leaves);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptMax && oldest !== undefined) this.#kept.delete(oldest);
    return replaced;
  }

  /** Resolves the references that a page fills in: one, or several for a date or a card. */
  find(given: unknown): FieldValue | undefined {
    const single = this.#open(given);
    if (single !== undefined) return { kind: 'text', text: toText(single) };
    if (!isRecord(given) || Object.values(given).every((part) => this.#open(part) === undefined)) return undefined;
    const open = (name: string) => this.#open(given[name]) ?? '';
    if ('month' in given || 'year' in given) return toDate(open('month'), open('year'));
    const { month, year } = toDate(open('expiration_month'), open('expiration_year'));
    return { kind: 'card', number: toText(open('number')), month, year, code: toText(open('cvc')) };
  }

  #open(reference: unknown): unknown {
    if (!isRecord(reference)) return undefined;
    const correlationId = readText(reference['correlationId'], 50);
    const path = readText(reference['path'], 5_000);
    return correlationId === undefined || path === undefined ? undefined : this.#kept.get(correlationId)?.get(path);
  }
}

function toDate(month: unknown, year: unknown): { kind: 'date'; month: string; year: string } {
  if (month === '' || year === '') return { kind: 'date', month: '', year: '' };
  const text = toDateText(month, year);
  return { kind: 'date', month: text.slice(0, 2), year: text.slice(2) };
}

function replaceLeaves(value: unknown, path: string, replace: (path: string, leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => replaceLeaves(item, `${path}[${index}]`, replace));
  if (!isRecord(value)) return replace(path, value);
  const members = Object.entries(value).map(([given, member], index) => {
    const name = toShownName(given, index);
    return [name, replaceLeaves(member, path === '' ? name : `${path}.${name}`, replace)];
  });
  return Object.fromEntries(members);
}

/** Hides member names with many digits, because a destination can return a value as a name. */
function toShownName(name: string, index: number): string {
  return name.replaceAll(/\D/g, '').length > 8 ? `member ${index}` : name;
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
