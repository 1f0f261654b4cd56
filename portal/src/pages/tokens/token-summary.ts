import type { Schemas } from '../../api/client';
import type { Token } from './token-query';

type Card = Schemas['CardDetails'];

const lengthMax = 64;

/** Returns the masked data in one line. Long text is truncated. The token's own page shows all of it. */
export function summarize({ data, card }: Token): string {
  const text = card === undefined ? toText(data) : toCardText(data, card);
  return text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…` : text;
}

/** Formats a card, with month and year as one date. */
function toCardText(data: unknown, { expiration_month: month, expiration_year: year }: Card): string {
  if (typeof data !== 'object' || data === null || !('number' in data)) return toText(data);
  const until = month === undefined || year === undefined ? [] : [`${String(month).padStart(2, '0')}/${year}`];
  return [toPart(data.number), ...until].join(' · ');
}

function toText(data: unknown): string {
  if (data === undefined || data === null) return '';
  if (typeof data === 'object' && !Array.isArray(data)) return Object.values(data).map(toPart).join(' · ');
  return toPart(data);
}

function toPart(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
