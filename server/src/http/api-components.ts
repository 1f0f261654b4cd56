import type { TSchema } from 'typebox';

/** The parts of an OpenAPI document that are read and written here. */
interface Description {
  readonly components?: { readonly schemas?: Record<string, unknown> };
  readonly paths?: object;
}

/** Names schemas for the API description: `Token`, `Log`, `Problem`. */
export function nameSchemas(schemas: Readonly<Record<string, TSchema>>): void {
  // As a title, which schemas built from this one keep.
  for (const [name, schema] of Object.entries(schemas)) Object.assign(schema, { title: name });
}

/**
 * Moves every named schema to `components.schemas` and leaves a reference in its place, so that a generated client has one
 * type per thing. Two different schemas with the same name would give it the wrong type for one of them.
 */
export function extractComponents<Document extends Description>(document: Document): Document {
  const schemas: Record<string, unknown> = { ...document.components?.schemas };
  const seen = new Map<string, string>();
  const extract = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(extract);
    const { title, ...rest } = value as { title?: unknown };
    const members = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, extract(member)]));
    // A member named "title" is a schema, not text.
    if (typeof title !== 'string') return title === undefined ? members : { ...members, title: extract(title) };
    const text = JSON.stringify(members);
    if ((seen.get(title) ?? text) !== text) throw new Error(`Two schemas are called ${title}.`);
    seen.set(title, text);
    schemas[title] = members;
    return { $ref: `#/components/schemas/${title}` };
  };
  const paths = extract(document.paths);
  const sorted = Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { ...document, components: { ...document.components, schemas: sorted }, paths };
}
