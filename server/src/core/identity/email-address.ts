declare const brand: unique symbol;

/** An address that unambiguously names one mailbox, wherever it is used in a mail. */
export type EmailAddress = string & { readonly [brand]: 'email-address' };

/**
 * RFC 5321 §4.5.3.1 allows 64 octets before the at sign, 255 after it, and 254 in total so that the address fits in a
 * path.
 */
const localMax = 64;
const addressMax = 254;
/** An atom (RFC 5322 §3.2.3). */
const atom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/;
/** A label of a host name (RFC 1123 §2.1). */
const label = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * Parses an RFC 5322 §3.4.1 address with a dot-atom on the left and a host name on the right. Its other forms (quoted
 * text, comments, routes, address literals) are rejected because mail programs read them differently: what one program
 * reads as part of the name, another reads as a second recipient.
 */
export function parseEmailAddress(text: string): EmailAddress | undefined {
  return isEmailAddress(text) ? text : undefined;
}

function isEmailAddress(text: string): text is EmailAddress {
  if (text.length > addressMax) return false;
  const at = text.indexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const labels = text.slice(at + 1).split('.');
  const isLocal = local.length <= localMax && local.split('.').every((part) => atom.test(part));
  // A host that ends in a numeric label would be an IP address.
  const isHost = labels.length >= 2 && labels.every((part) => label.test(part)) && /[A-Za-z]/.test(labels.at(-1) ?? '');
  return isLocal && isHost;
}
