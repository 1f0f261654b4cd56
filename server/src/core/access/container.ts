import { tokenLimits } from '../token-limits.ts';

export const rootContainer = '/';

/** Segments of letters, digits, `-` and `_`, each ended by a slash; the root is a lone slash. */
const containerPattern = /^\/(?:[A-Za-z0-9_-]+\/)*$/;

/** Parses a container path, lower-cased; undefined if the text is not one. */
export function parseContainer(text: string): string | undefined {
  if (text.length > tokenLimits.containerLengthMax) return undefined;
  // Judged as it was written: a few letters of other scripts become ASCII in lower case, such as the Kelvin sign.
  return containerPattern.test(text) ? text.toLowerCase() : undefined;
}

/** `/pci/` covers `/pci/` and `/pci/high/`; both end with a slash, so `/pc/` does not. */
export function isCovered(container: string, by: string): boolean {
  return container.startsWith(by);
}
