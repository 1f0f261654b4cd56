import { jsonDepthMax } from '../../core/json/json-limits.ts';
import { ExactNumber, isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { parseJson } from '../../core/json/parse-json.ts';
import { invalidField } from '../../core/errors/domain-error.ts';

/** Fields that take a whole value. */
const wholeFields = [
  'id',
  'type',
  'data',
  'mask',
  'metadata',
  'containers',
  'search_indexes',
  'fingerprint_expression',
  'deduplicate_token',
  'expires_at',
] as const;
type WholeField = (typeof wholeFields)[number];
const listFields: readonly string[] = ['containers', 'search_indexes'];

const valueTypes = ['text', 'number', 'boolean', 'json'] as const;
type ValueType = (typeof valueTypes)[number];

const pathDepthMax = 16;
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The path of a value in a token, and the type that it is converted to. */
export interface FieldTarget {
  readonly field: WholeField;
  /** The path of members below `data` or `metadata`. Empty for the whole field. */
  readonly path: readonly string[];
  readonly type: ValueType | undefined;
}

/** A token request under construction. */
export type TokenBody = { [Field in WholeField]?: JsonValue };

export function isTokenField(name: string): name is WholeField {
  return (wholeFields as readonly string[]).includes(name);
}

/**
 * Parses a target such as `data.number`, `metadata.customer` or `data.expiration_month:number`. Returns undefined if
 * the text is not a target.
 */
export function parseFieldTarget(text: string): FieldTarget | undefined {
  const colon = text.lastIndexOf(':');
  const suffix = colon === -1 ? undefined : valueTypes.find((type) => type === text.slice(colon + 1));
  const name = suffix === undefined ? text : text.slice(0, colon);
  const dot = name.indexOf('.');
  const field = dot === -1 ? name : name.slice(0, dot);
  if (!isTokenField(field)) return undefined;
  if (dot === -1) return { field, path: [], type: suffix };

  const below = name.slice(dot + 1);
  // A metadata key is a single text, even if it contains dots.
  const path = field === 'metadata' ? [below] : below.split('.');
  const isSound = path.length <= pathDepthMax && path.every((name) => name !== '' && name !== '__proto__');
  return (field === 'metadata' || field === 'data') && isSound ? { field, path, type: suffix } : undefined;
}

export function assign(body: TokenBody, target: FieldTarget, value: JsonValue): void {
  const { field, path } = target;
  const converted = convert(value, target);
  const [last] = path.slice(-1);
  if (last === undefined) {
    body[field] = listFields.includes(field) && typeof converted === 'string' ? [converted] : converted;
    return;
  }
  let parent = memberOf(body, field);
  for (const name of path.slice(0, -1)) parent = memberOf(parent, name);
  parent[last] = converted;
}

/**
 * Returns the object below a name, and creates it if missing. An object that was read from a file is copied, not
 * modified.
 */
function memberOf(object: Record<string, JsonValue>, name: string): Record<string, JsonValue> {
  const found = Object.hasOwn(object, name) ? object[name] : undefined;
  const member = isJsonObject(found) ? { ...found } : {};
  object[name] = member;
  return member;
}

function convert(value: JsonValue, target: FieldTarget): JsonValue {
  if (target.type === undefined || target.type === 'text' || typeof value !== 'string') return value;
  const name = [target.field, ...(target.field === 'data' ? target.path : [])].join('.');
  switch (target.type) {
    case 'number':
      if (!numberPattern.test(value)) throw invalidField(name, 'must be a number');
      return String(Number(value)) === value ? Number(value) : new ExactNumber(value);
    case 'boolean':
      if (value !== 'true' && value !== 'false') throw invalidField(name, 'must be true or false');
      return value === 'true';
    case 'json':
      return parseJson(value, { depthMax: jsonDepthMax });
  }
}
