import { tokenLimits } from '../token-limits.ts';

export const rootContainer = '/';

/** Segments of letters, digits, `-` and `_`, each followed by a slash. The root is a single slash. */
const containerPattern = /^\/(?:[A-Za-z0-9_-]+\/)*$/;

/** Parses and lower-cases a container path. Returns undefined if the text is not one. */
export function parseContainer(text: string): string | undefined {
  if (text.length > tokenLimits.containerLengthMax) return undefined;
  // The text is checked before lower-casing, which turns some non-ASCII letters, such as the Kelvin sign, into ASCII.
  return containerPattern.test(text) ? text.toLowerCase() : undefined;
}

/**
 * Returns true if `by` contains the container: `/pci/` covers `/pci/` and `/pci/high/`. Every path ends with a slash,
 * so `/pc/` does not cover them.
 */
export function isCovered(container: string, by: string): boolean {
  return container.startsWith(by);
}
