import { type AuditSigner, isSignedBy } from './audit-signer.ts';

/**
 * Returns JSON as three lines: the format, the JSON, and the signature over both. No two kinds of text that the vault
 * signs begin with the same line, so none can be passed off as another.
 */
export function toSignedText(format: string, value: object, signer: AuditSigner): string {
  const signed = `${format}\n${JSON.stringify(value)}\n`;
  return `${signed}${signer.sign(signed).toString('base64')}\n`;
}

/** Returns the JSON, or undefined unless the text is exactly what the holder of the key signed, in this format. */
export function openSignedText(format: string, text: string, publicKey: Buffer): string | undefined {
  const [first = '', json = '', signature = '', ...rest] = text.split('\n');
  const bytes = Buffer.from(signature, 'base64');
  // Several spellings of base64 have the same bytes. Only one of them is accepted, so that every change is found.
  const isExact =
    first === format && rest.join('\n') === '' && rest.length === 1 && bytes.toString('base64') === signature;
  return isExact && isSignedBy(publicKey, `${first}\n${json}\n`, bytes) ? json : undefined;
}
