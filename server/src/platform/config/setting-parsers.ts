import { Sensitive } from '../../core/identity/sensitive.ts';

/**
 * Parses the text of a setting. Like all parsers here, it returns undefined if the text does not meet the expectation.
 */
export function parseText(text: string): string | undefined {
  return text.trim() === '' ? undefined : text;
}

export function parseSecret(text: string): Sensitive<string> | undefined {
  return text === '' ? undefined : new Sensitive(text);
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
