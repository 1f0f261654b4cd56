import { membersOf } from '../../core/objects/members-of.ts';

/** An error that the validator reports about one part of a value. */
export interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: unknown;
}

/** The keyword for a value that is none of several kinds, which `params` lists. */
export const noneOf = 'none-of';

const kindKeywords = ['type', 'const', noneOf];

/**
 * Replaces the errors of unions, which are a detail of the schema. `containers: 1` is not an array, and it does not
 * help to add that it is not null either. A value that resembles one of the alternatives gets the errors of that
 * alternative.
 */
export function resolveUnions(errors: readonly SchemaError[]): SchemaError[] {
  const resolved: SchemaError[] = [];
  for (const error of errors) {
    if (error.keyword !== 'anyOf') {
      resolved.push(error);
      continue;
    }
    // The validator reports a union after all errors of its alternatives.
    const first = resolved.findLastIndex((one) => !isWithin(error, one)) + 1;
    resolved.push(...chooseAlternative(error, resolved.splice(first)));
  }
  return resolved;
}

function isWithin(union: SchemaError, { schemaPath, instancePath }: SchemaError): boolean {
  const isPartOfValue = instancePath === union.instancePath || instancePath.startsWith(`${union.instancePath}/`);
  return isPartOfValue && schemaPath.startsWith(`${union.schemaPath}/anyOf/`);
}

function chooseAlternative(union: SchemaError, errors: readonly SchemaError[]): readonly SchemaError[] {
  const start = `${union.schemaPath}/anyOf/`.length;
  const alternatives = [...Map.groupBy(errors, ({ schemaPath }) => schemaPath.slice(start).split('/')[0]).values()];
  const isLike = (keywords: readonly string[]) => (found: readonly SchemaError[]) =>
    !found.some((error) => isAboutKind(error, union, keywords));
  const alike = alternatives.find(isLike([...kindKeywords, 'enum'])) ?? alternatives.find(isLike(kindKeywords));
  if (alike !== undefined) return alike;
  const kinds = errors.filter((error) => isAboutKind(error, union, kindKeywords) && !isNull(error));
  return kinds.length === 1 ? kinds : [{ ...union, keyword: noneOf, params: { kinds } }];
}

/** Returns true if the value is of another kind altogether, and false if only a part of it is wrong. */
function isAboutKind(error: SchemaError, union: SchemaError, keywords: readonly string[]): boolean {
  return error.instancePath === union.instancePath && keywords.includes(error.keyword);
}

/**
 * Returns true for the null alternative. An optional member accepts null because some clients send it, but the message
 * does not recommend it.
 */
function isNull({ keyword, params }: SchemaError): boolean {
  return keyword === 'type' && membersOf(params)['type'] === 'null';
}
