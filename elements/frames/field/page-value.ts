import { toDateText } from '../../protocol/date-text.ts';
import { isRecord } from '../../protocol/parse.ts';
import type { PartName } from './part.ts';

const lengthMax = 10_000;

/** Parses a value that a page sets itself, in the forms that the public clients use: text, a date, or a card. */
export function findPageTexts(value: unknown): Partial<Record<PartName, string>> {
  if (typeof value === 'string') {
    const text = value.slice(0, lengthMax);
    return { number: text, date: text, code: text, text };
  }
  if (!isRecord(value)) return {};
  const month = value['month'] ?? value['expiration_month'];
  const year = value['year'] ?? value['expiration_year'];
  return {
    number: toText(value['number']),
    code: toText(value['cvc']),
    date: month === undefined || year === undefined ? '' : toDateText(month, year),
  };
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, lengthMax) : '';
}
