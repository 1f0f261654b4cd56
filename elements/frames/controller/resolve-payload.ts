import type { FieldError } from '../../protocol/element-state.ts';
import type { ElementReference, FieldValue, HeldValue } from '../../protocol/messages.ts';
import { isRecord, readText } from '../../protocol/parse.ts';
import { RefusedCall } from './refused-call.ts';

const depthMax = 32;
const nodesMax = 10_000;

export interface ResolvedPayload {
  /** The payload with values in place of references. */
  readonly payload: unknown;
  /** Every text that came from a field. */
  readonly secrets: readonly string[];
  readonly errors: readonly FieldError[];
  /** The errors, each at the position of its reference. */
  readonly details: unknown;
}

/** Parses a reference from a page. Returns undefined for anything else. */
export function findReference(value: unknown): ElementReference | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, '$element')) return undefined;
  const element = readText(value['$element'], 10);
  if (element === undefined) throw new RefusedCall('The payload contains a reference that is not valid.');
  const part = (['month', 'year', 'format'] as const).find((name) => name === value['part']);
  const format = readText(value['format'], 20);
  if (format !== undefined && !isDateFormat(format))
    throw new RefusedCall('A date format in elements consists of MM, YY or YYYY, and separators, such as MM/YY.');
  return { $element: element, ...(part === undefined ? {} : { part }), ...(format === undefined ? {} : { format }) };
}

/**
 * Returns true if a format contains nothing but a month, a year and separators. If the page could put digits in front
 * of a date, the result could be a valid card number, and the page sees the last four digits of those.
 */
function isDateFormat(format: string): boolean {
  return !/[\p{L}\p{N}]/u.test(format.replace(/yyyy|yy/i, '').replace('MM', ''));
}

/** Replaces the references in a payload with the values of fields. */
export async function resolvePayload(
  payload: unknown,
  ask: (element: string) => Promise<HeldValue>,
): Promise<ResolvedPayload> {
  const secrets: string[] = [];
  const errors: FieldError[] = [];
  let nodes = 0;

  async function walk(value: unknown, depth: number): Promise<{ readonly value: unknown; readonly details?: unknown }> {
    nodes += 1;
    if (depth > depthMax || nodes > nodesMax) throw new RefusedCall('The payload is too deep or too large.');
    const reference = findReference(value);
    if (reference !== undefined) {
      const held = await ask(reference.$element);
      errors.push(...held.errors);
      secrets.push(...listTexts(held.value));
      return {
        value: toPayloadValue(held.value, reference),
        ...(held.errors.length > 0 ? { details: toDetails(held) } : {}),
      };
    }
    if (Array.isArray(value)) {
      const items = await inOrder(value, (item) => walk(item, depth + 1));
      return { value: items.map((item) => item.value), ...joinDetails(Object.entries(items)) };
    }
    if (!isRecord(value)) return { value };
    const members = await inOrder(
      Object.entries(value),
      async ([name, member]) => [name, await walk(member, depth + 1)] as const,
    );
    return {
      value: Object.fromEntries(members.map(([name, member]) => [name, member.value])),
      ...joinDetails(members),
    };
  }

  const resolved = await walk(payload, 0);
  return { payload: resolved.value, secrets, errors, details: resolved.details ?? {} };
}

/** The members of card data that each input of a card element fills. */
const membersOf: Readonly<Record<string, readonly string[]>> = {
  cardNumber: ['number'],
  expirationDate: ['expiration_month', 'expiration_year'],
  cvc: ['cvc'],
};

/** Returns the errors in the shape of the data that the element provides. */
function toDetails({ value, errors }: HeldValue): unknown {
  const [first] = errors;
  if (value.kind !== 'card') return { type: first?.type };
  return Object.fromEntries(
    errors.flatMap(({ targetId, type }) => (membersOf[targetId] ?? []).map((name) => [name, { type }])),
  );
}

function joinDetails(members: readonly (readonly [string, { readonly details?: unknown }])[]): { details?: unknown } {
  const wrong = members.filter(([, { details }]) => details !== undefined);
  return wrong.length === 0 ? {} : { details: Object.fromEntries(wrong.map(([name, { details }]) => [name, details])) };
}

async function inOrder<From, To>(items: readonly From[], work: (item: From) => Promise<To>): Promise<To[]> {
  const done: To[] = [];
  // Items are processed one at a time, so that the node limit stops a large payload early.
  for (const item of items) done.push(await work(item));
  return done;
}

function listTexts(value: FieldValue): string[] {
  const texts = value.kind === 'text' ? [value.text] : value.kind === 'card' ? [value.number, value.code] : [];
  return texts.filter((text) => text !== '');
}

function toPayloadValue(value: FieldValue, { part, format }: ElementReference): unknown {
  if (value.kind === 'text') return value.text;
  const month = Number(value.month);
  const year = 2000 + Number(value.year);
  if (value.kind === 'card') {
    const code = value.code === '' ? {} : { cvc: value.code };
    return { number: value.number, expiration_month: month, expiration_year: year, ...code };
  }
  if (part === 'month') return month;
  if (part === 'year') return year;
  return (format ?? 'MM/YY').replace(/yyyy/i, String(year)).replace(/yy/i, value.year).replace('MM', value.month);
}
