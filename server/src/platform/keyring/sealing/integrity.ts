import { hash } from 'node:crypto';

/** Returns a digest in the form that browsers use to verify a script or a style sheet (Subresource Integrity). */
export function integrityOf(bytes: Buffer): string {
  return `sha384-${hash('sha384', bytes, 'base64')}`;
}
