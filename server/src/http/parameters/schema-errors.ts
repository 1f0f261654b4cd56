import { membersOf } from '../../core/objects/members-of.ts';

/** What the validator reports about one place of a value. */
export interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: unknown;
}

/** Stands for a value that is none of several things, which `params` lists. */
export const noneOf = 'none-of';

const kindKeywords = ['type', 'const', noneOf];

/**
 * The errors without unions, which are a matter of the schema: `containers: 1` is no array, and that it is no null either
 * helps nobody. A value that is like one of the alternatives gets the errors of that one.
 */
export function resolveUnions(errors: readonly SchemaError[]): SchemaError[] {
  const resolved: SchemaError[] = [];
  for (const error of errors) {
    if (error.keyword !== 'anyOf') {
      resolved.push(error);
      continue;
    }
    // The validator reports a union after everything that is wrong with its alternatives.
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

/** Whether the value as a whole is something else, as opposed to something about it being wrong. */
function isAboutKind(error: SchemaError, union: SchemaError, keywords: readonly string[]): boolean {
  return error.instancePath === union.instancePath && keywords.includes(error.keyword);
}

/** Null is accepted for an optional member because some clients send it; nobody is advised to. */
function isNull({ keyword, params }: SchemaError): boolean {
  return keyword === 'type' && membersOf(params)['type'] === 'null';
}
