import type { JsonSource } from '../../core/json/json-source.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { assign, type FieldTarget, isTokenField, parseFieldTarget, type TokenBody } from './field-target.ts';

/** A part of a record and its target field. A part without a target is skipped on purpose. */
interface Move {
  readonly from: string;
  readonly to: FieldTarget | undefined;
}

/** The mapping from records to token requests. It is plain data, so that it can be passed to another thread. */
export interface FieldMap {
  readonly moves: readonly Move[];
  /** Values that are the same for every record. */
  readonly fixed: readonly { readonly target: FieldTarget; readonly value: string }[];
}

const examples = 'such as id, type, data.number, data.expiration_month:number, metadata.customer or containers';

/** Parses `--map name=field` and `--set field=value`. Throws an error with a message for the user. */
export function parseFieldMap(given: { readonly map: readonly string[]; readonly set: readonly string[] }): FieldMap {
  const moves = given.map.map((text) => {
    const [from, to] = splitAtEqualSign(text, '--map column=field');
    return { from, to: to === '' ? undefined : requireTarget(to) };
  });
  const fixed = given.set.map((text) => {
    const [field, value] = splitAtEqualSign(text, '--set field=value');
    return { target: requireTarget(field), value };
  });
  const twice = moves.find(({ from }, index) => moves.findIndex((other) => other.from === from) < index);
  if (twice !== undefined) throw new Error(`${JSON.stringify(twice.from)} is mapped twice.`);
  return { moves, fixed };
}

/** Returns the target of each column of a CSV file: the mapped field, or the field of the same name. */
export function toColumnTargets(columns: readonly string[], map: FieldMap): readonly (FieldTarget | undefined)[] {
  const unknown = map.moves.find(({ from }) => !columns.includes(from));
  if (unknown !== undefined) throw new Error(`The file has no column named ${JSON.stringify(unknown.from)}.`);
  return columns.map((column, index) => {
    if (columns.indexOf(column) < index) throw new Error(`The file has two columns named ${JSON.stringify(column)}.`);
    const move = map.moves.find(({ from }) => from === column);
    if (move !== undefined) return move.to;
    const target = parseFieldTarget(column);
    if (target !== undefined) return target;
    throw new Error(
      `The column ${JSON.stringify(column)} is not a token field. Map it with --map ${quoteArgument(`${column}=field`)}, to a field ${examples}; or skip it with --map ${quoteArgument(`${column}=`)}.`,
    );
  });
}

/** Converts a CSV record. An empty cell counts as absent. */
export function fromCells(
  cells: readonly string[],
  targets: readonly (FieldTarget | undefined)[],
  map: FieldMap,
): TokenBody {
  const body: TokenBody = {};
  targets.forEach((target, index) => {
    const cell = cells[index] ?? '';
    if (target !== undefined && cell !== '') assign(body, target, cell);
  });
  return fix(body, map);
}

/**
 * Converts a JSON record. Members named like a token field are kept, unless they are mapped. Others are ignored, like
 * in a request.
 */
export function fromObject(object: JsonObject, source: JsonSource, map: FieldMap): TokenBody | JsonObject {
  if (map.moves.length === 0 && map.fixed.length === 0) return object;
  const body: TokenBody = {};
  const moved = new Set(map.moves.map(({ from }) => from));
  for (const [name, value] of Object.entries(object)) if (isTokenField(name) && !moved.has(name)) body[name] = value;
  const { data } = body;
  for (const { from, to } of map.moves) {
    const value = to === undefined ? undefined : find(object, from);
    if (to !== undefined && value !== undefined) assign(body, to, value);
  }
  fix(body, map);
  // Unmodified data is stored with its original spelling.
  if (data !== undefined && body.data === data) source.note(body, 'data', source.textOf(object, 'data', data));
  return body;
}

function fix(body: TokenBody, { fixed }: FieldMap): TokenBody {
  for (const { target, value } of fixed) assign(body, target, value);
  return body;
}

/** Finds a member by its name, or by a path of names. */
function find(object: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(object, name)) return object[name];
  let value: JsonValue | undefined = object;
  for (const part of name.split('.')) {
    value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}

function splitAtEqualSign(text: string, form: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new Error(`${JSON.stringify(text)} should read ${form}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function requireTarget(text: string): FieldTarget {
  const target = parseFieldTarget(text);
  if (target === undefined) {
    throw new Error(`${JSON.stringify(text)} is not a token field. Use one ${examples}.`);
  }
  return target;
}

function quoteArgument(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
