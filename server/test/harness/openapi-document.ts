/** A description of the API with every reference replaced by what it refers to: no schema of ours contains itself. */
export function withoutReferences(document: unknown): unknown {
  const { components } = document as { components?: { schemas?: Readonly<Record<string, unknown>> } };
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(resolve);
    if ('$ref' in value) return resolve(components?.schemas?.[nameIn(value.$ref)]);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]));
  };
  return resolve(document);
}

function nameIn(reference: unknown): string {
  const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(String(reference)) ?? [];
  if (name === undefined) throw new Error(`A schema refers to ${String(reference)}, which is not understood.`);
  return name;
}
