import { invalidField } from '../../core/errors/domain-error.ts';

export function isXml(mediaType: string): boolean {
  return mediaType === 'application/xml' || mediaType === 'text/xml' || mediaType.endsWith('+xml');
}

const entities = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&apos;'],
] as const;

/** Escapes a value so that it cannot become an element. XML does not allow control characters at all (XML 1.0 §2.2). */
export function escapeXml(text: string, field: string): string {
  // oxlint-disable-next-line no-control-regex -- The pattern looks for exactly these characters.
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text))
    throw invalidField(field, 'would contain a value that XML cannot represent');
  // Each character is replaced in its own pass, the ampersand first. A callback per match would take twenty times as
  // long.
  return entities.reduce((escaped, [character, entity]) => escaped.replaceAll(character, entity), text);
}
