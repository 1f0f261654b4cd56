import { InvalidArgumentError } from 'commander';
import { type EmailAddress, parseEmailAddress } from '../../core/identity/email-address.ts';
import { isUuid, parseTenantId, type TenantId } from '../../core/identity/ids.ts';
import { toAddressText } from '../../core/network/peer-address.ts';
import { wholeNumber } from '../../platform/config/setting-parsers.ts';

/** Returns the parsed argument, or throws the message that the command line shows. */
export function parseUuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
}

export function parseTenant(text: string): TenantId {
  return parseTenantId(parseUuid(text));
}

/** Returns the address in the spelling used in records. */
export function parseAddress(text: string): string {
  const address = toAddressText(text);
  if (address === undefined) throw new InvalidArgumentError('It must be an IP address such as 203.0.113.7.');
  return address;
}

export function parseEmail(text: string): EmailAddress {
  const address = parseEmailAddress(text);
  if (address === undefined) throw new InvalidArgumentError('It must be an e-mail address such as name@example.com.');
  return address;
}

export function parseName(text: string): string {
  if (text.trim() === '' || text.length > 200) throw new InvalidArgumentError('A name must have 1 to 200 characters.');
  return text;
}

export function wholeNumberFrom(min: number, max: number): (text: string) => number {
  const parse = wholeNumber(min, max);
  return (text) => {
    const value = parse(text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Returns the key that signs the audit log. */
export function parsePublicKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32) throw new InvalidArgumentError('It must be 32 bytes as base64.');
  return key;
}
