import { type TProperties, type TSchema, Type } from 'typebox';

/** Says in a parameter, which is text on the wire, how the description of the API shows it. */
export const describedAs = 'x-described-as';

/**
 * The query parameters of a list or a search, and no other: a filter that is ignored because of its spelling would return
 * everything. `patterns` are names that a caller may choose.
 */
export function queryParameters<Properties extends TProperties>(
  properties: Properties,
  patterns: Readonly<Record<string, TSchema>> = {},
) {
  return Type.Object(properties, { additionalProperties: false, patternProperties: { ...patterns } });
}

/** A parameter that is a whole number. Only its length is judged here: whoever reads the number knows what to say. */
export function wholeNumber(options: {
  readonly description: string;
  readonly default: number;
  readonly maximum: number;
}) {
  const { description, maximum } = options;
  const meaning = { type: 'integer', minimum: 1, maximum, default: options.default };
  return Type.Optional(Type.String({ maxLength: 10, description, [describedAs]: meaning }));
}

/** Of a list that has neither filters nor pages, and of a search, whose filters are in its body. */
export const NoParameters = queryParameters({});
