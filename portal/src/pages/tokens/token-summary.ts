import type { Schemas } from '../../api/client';
import { kindOf } from '../../parts/show/token-kind';
import type { Token } from './token-query';

type Card = Schemas['CardDetails'];

const lengthMax = 64;

/** Returns the masked data in one line. Long text is truncated. The token's own page shows all of it. */
export function summarize({ data, card }: Token): string {
  const text = card === undefined ? toText(data) : toCardText(data, card);
  return text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…` : text;
}

/** Names a token by what may be seen of it, such as `Visa ending in 7774`. */
export function nameOf({ type, card, bank }: Token): string {
  if (card !== undefined) return `${brandOf(card)} ending in ${card.last4}`;
  return bank === undefined ? kindOf(type).name : `Bank account ending in ${bank.account_number_last4}`;
}

const brands: Readonly<Record<string, string>> = {
  'american-express': 'Amex',
  'diners-club': 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

/** Returns the brand as people write it, or "Card" if it is unknown. */
export function brandOf({ brand }: Pick<Card, 'brand'>): string {
  if (brand === undefined || brand === 'unknown') return 'Card';
  return brands[brand] ?? brand.slice(0, 1).toUpperCase() + brand.slice(1);
}

/**
 * Draws the X of a masked number as bullets and groups a card number, so that it is easier to read. The JSON on the
 * token's own page has it as it is.
 */
export function drawMask(text: string): string {
  const isOnlyMask = /^[X\d -]*X[X\d -]*$/.test(text);
  const drawn = text.replaceAll(isOnlyMask ? /X/g : /X{3,}/g, (run) => '•'.repeat(run.length));
  if (/^[•\d]{15}$/.test(drawn)) return `${drawn.slice(0, 4)} ${drawn.slice(4, 10)} ${drawn.slice(10)}`;
  return /^[•\d]{16}$/.test(drawn) ? drawn.replaceAll(/(.{4})(?=.)/g, '$1 ') : drawn;
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
  return typeof value === 'string' ? drawMask(value) : JSON.stringify(value);
}
