import { type TProperties, type TSchema, Type } from 'typebox';

/** How the API description shows a parameter, which is text on the wire. */
export const describedAs = 'x-described-as';

/**
 * The query parameters of a list or search, and no others: ignoring a misspelled filter would return
 * everything. `patterns` are names that a caller may choose.
 */
export function queryParameters<Properties extends TProperties>(
  properties: Properties,
  patterns: Readonly<Record<string, TSchema>> = {},
) {
  return Type.Object(properties, { additionalProperties: false, patternProperties: { ...patterns } });
}

/** A whole-number parameter. Only its length is checked here: the code that parses it reports errors. */
export function wholeNumber(options: {
  readonly description: string;
  readonly default: number;
  readonly maximum: number;
}) {
  const { description, maximum } = options;
  const meaning = { type: 'integer', minimum: 1, maximum, default: options.default };
  return Type.Optional(Type.String({ maxLength: 10, description, [describedAs]: meaning }));
}

/** For a list with neither filters nor pages, and for a search, whose filters are in its body. */
export const NoParameters = queryParameters({});
