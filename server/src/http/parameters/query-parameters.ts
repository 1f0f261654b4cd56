import { type TProperties, type TSchema, Type } from 'typebox';

/** The keyword for how the API description shows a parameter. In the request, every parameter is text. */
export const describedAs = 'x-described-as';

/**
 * Returns the schema of the query parameters of a list or search. It allows no other parameters, because ignoring a
 * misspelled filter would return everything. `patterns` are names that a caller may choose.
 */
export function queryParameters<Properties extends TProperties>(
  properties: Properties,
  patterns: Readonly<Record<string, TSchema>> = {},
) {
  return Type.Object(properties, { additionalProperties: false, patternProperties: { ...patterns } });
}

/** Returns a whole-number parameter. The schema checks only its length; the code that parses it reports errors. */
export function wholeNumber(options: {
  readonly description: string;
  readonly default: number;
  readonly maximum: number;
}) {
  const { description, maximum } = options;
  const meaning = { type: 'integer', minimum: 1, maximum, default: options.default };
  return Type.Optional(Type.String({ maxLength: 10, description, [describedAs]: meaning }));
}

/** The parameters of a list with neither filters nor pages, and of a search, whose filters are in its body. */
export const NoParameters = queryParameters({});
