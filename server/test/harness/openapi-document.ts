type Components = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/**
 * Returns an API description with every reference replaced by its target. This terminates because
 * no schema contains itself.
 */
export function withoutReferences(document: unknown): unknown {
  const { components = {} } = document as { components?: Components };
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(resolve);
    if ('$ref' in value) return resolve(find(components, String(value.$ref)));
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]));
  };
  return resolve(document);
}

function find(components: Components, reference: string): unknown {
  const [, kind = '', name = ''] = /^#\/components\/(schemas|responses)\/(\w+)$/.exec(reference) ?? [];
  const found = components[kind]?.[name];
  if (found === undefined) throw new Error(`The description refers to ${reference}, which is not understood.`);
  return found;
}
