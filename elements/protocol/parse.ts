/** These functions parse parts of messages. Each returns the typed value, or undefined for anything else. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function readText(value: unknown, lengthMax: number): string | undefined {
  return typeof value === 'string' && value.length <= lengthMax ? value : undefined;
}

export function readFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function readInteger(
  value: unknown,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined;
}

/** Parses a flat object of short texts. */
export function readTexts(value: unknown, lengthMax: number): Readonly<Record<string, string>> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).filter(([, text]) => text !== undefined);
  if (entries.length > 50) return undefined;
  const texts: Record<string, string> = {};
  for (const [name, text] of entries) {
    const read = readText(text, lengthMax);
    if (read === undefined || name === '__proto__') return undefined;
    texts[name] = read;
  }
  return texts;
}
