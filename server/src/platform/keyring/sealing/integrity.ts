import { hash } from 'node:crypto';

/** Returns a digest in the form that browsers compare a script or a style sheet with (Subresource Integrity). */
export function integrityOf(bytes: Buffer): string {
  return `sha384-${hash('sha384', bytes, 'base64')}`;
}
