const lengthMax = 60;

/**
 * Returns the name as it is stored, or undefined if nothing is left of it. Invisible characters are removed, because
 * they could make two names look the same, or move the text beside them.
 */
export function toShownName(text: string): string | undefined {
  const visible = text.replaceAll(/\p{C}/gu, '').replaceAll(/\s+/g, ' ').trim();
  return visible === '' ? undefined : [...visible].slice(0, lengthMax).join('');
}
