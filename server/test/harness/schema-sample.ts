/** The parts of a JSON schema that determine its smallest value. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly minimum?: number;
}

/** Returns the smallest value that a schema accepts. */
export function sampleOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [alternative] = schema.anyOf ?? [];
  if (alternative !== undefined) return sampleOf(alternative);
  const { items = {}, properties = {} } = schema;
  switch (schema.type ?? 'string') {
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((name) => [name, sampleOf(properties[name] ?? {})]));
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(items));
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'x'.repeat(Math.max(schema.minLength ?? 0, 1));
  }
}
