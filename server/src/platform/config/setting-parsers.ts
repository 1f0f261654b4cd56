import { Sensitive } from '../../core/identity/sensitive.ts';
import { loopbackHosts } from '../../core/network/loopback-hosts.ts';

/**
 * Parses the text of a setting. Like all parsers here, it returns undefined if the text does not meet the expectation.
 */
export function parseText(text: string): string | undefined {
  return text.trim() === '' ? undefined : text;
}

export function textLike(pattern: RegExp): (text: string) => string | undefined {
  return (text) => (pattern.test(text) ? text : undefined);
}

export function textWhere(isValid: (text: string) => boolean): (text: string) => string | undefined {
  return (text) => (isValid(text) ? text : undefined);
}

export function oneOf<const T extends string>(names: readonly T[]): (text: string) => T | undefined {
  return (text) => names.find((name) => name === text);
}

export function parseSecret(text: string): Sensitive<string> | undefined {
  return text === '' ? undefined : new Sensitive(text);
}

/** Parses a secret that is sent in a header, so it must not contain line breaks or control characters. */
export function parseHeaderSecret(text: string): Sensitive<string> | undefined {
  return /^[\x21-\x7e]{1,8192}$/.test(text) ? new Sensitive(text) : undefined;
}

/** Parses one or more certificates in PEM format. */
export function parseCertificates(text: string): string | undefined {
  return text.includes('-----BEGIN CERTIFICATE-----') ? text : undefined;
}

/** Parses a comma-separated list. One invalid part makes the whole list invalid. */
export function listOf<T>(parse: (part: string) => T | undefined): (text: string) => readonly T[] | undefined {
  return (text) => {
    const values = text.split(',').map((part) => parse(part.trim()));
    return values.every((value) => value !== undefined) ? values : undefined;
  };
}

export function parseBoolean(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

export function wholeNumber(min: number, max: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
}

export const parsePort = wholeNumber(0, 65_535);

export function parsePercentEncoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Parses a URL that passes a test. Its text stays as it is. */
export function urlWhere(test: (url: URL) => boolean): (text: string) => string | undefined {
  return (text) => (URL.canParse(text) && test(new URL(text)) ? text : undefined);
}

export function urlWith(...protocols: readonly string[]): (text: string) => string | undefined {
  return urlWhere(({ protocol }) => protocols.includes(protocol));
}

/** Returns true if a connection is encrypted. Connections that stay on the machine need no encryption. */
export function isProtected({ protocol, hostname }: URL, plainHosts = loopbackHosts): boolean {
  return protocol === 'https:' || (protocol === 'http:' && plainHosts.includes(hostname));
}

/** Returns true for the address of a service without credentials, over a protected connection. */
export function isServiceUrl(url: URL, plainHosts = loopbackHosts): boolean {
  return isProtected(url, plainHosts) && url.username === '' && url.password === '' && url.hash === '';
}
