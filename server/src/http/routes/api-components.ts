import type { TSchema } from 'typebox';
import { membersOf } from '../../core/objects/members-of.ts';

/** Names schemas for the API description: `Token`, `Log`, `Problem`. */
export function nameSchemas(schemas: Readonly<Record<string, TSchema>>): void {
  // The name is stored as the title, because schemas built from this one keep that.
  for (const [name, schema] of Object.entries(schemas)) Object.assign(schema, { title: name });
}

/**
 * Collects the parts that several operations share. Each part is written once and then referenced, so that a generated
 * client has one type for it. If two different parts had the same name, the client would have the wrong type for one of
 * them.
 */
export class ApiComponents {
  readonly #schemas = new NamedParts('schemas');
  readonly #responses = new NamedParts('responses');

  /** Returns a schema as JSON, with references in place of the named schemas in it. */
  toSchema(schema: unknown): unknown {
    if (typeof schema !== 'object' || schema === null) return schema;
    if (Array.isArray(schema)) return schema.map((item) => this.toSchema(item));
    const { title, patternProperties, ...rest } = membersOf(schema);
    // Generators recognise maps only by `additionalProperties`. A map has one pattern, which is the form of its keys.
    const [values] = Object.values(membersOf(patternProperties));
    const open = values === undefined ? rest : { ...rest, additionalProperties: values };
    const members = raiseDescription(
      Object.fromEntries(Object.entries(open).map(([name, member]) => [name, this.toSchema(member)])),
    );
    // A member named "title" is a schema, not text.
    if (typeof title !== 'string') return title === undefined ? members : { ...members, title: this.toSchema(title) };
    return this.#schemas.refer(title, members);
  }

  toResponse(name: string, response: object): unknown {
    return this.#responses.refer(name, response);
  }

  toJson(): object {
    return { schemas: this.#schemas.toJson(), responses: this.#responses.toJson() };
  }
}

/** Moves the description of a nullable value to the schema that contains it. */
function raiseDescription(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { anyOf, description: own } = schema;
  if (!Array.isArray(anyOf) || own !== undefined) return schema;
  const [value, ...others] = anyOf.map(membersOf).filter(({ type }) => type !== 'null');
  const { description, ...rest } = value ?? {};
  if (description === undefined || others.length > 0) return schema;
  return { ...schema, anyOf: [rest, { type: 'null' }], description };
}

class NamedParts {
  readonly #parts = new Map<string, string>();
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  refer(name: string, part: object): { readonly $ref: string } {
    const text = JSON.stringify(part);
    if ((this.#parts.get(name) ?? text) !== text) throw new Error(`Two of the ${this.#kind} are called ${name}.`);
    this.#parts.set(name, text);
    return { $ref: `#/components/${this.#kind}/${name}` };
  }

  toJson(): object {
    const sorted = [...this.#parts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted.map(([name, text]) => [name, JSON.parse(text) as unknown]));
  }
}
