import type { Schemas } from '../../api/client';
import { Wheel } from '../../parts/logo';
import type { Token } from './token-query';
import { brandOf, drawMask } from './token-summary';

/** Draws a card as people know it, with what may be seen of it. */
export function Plastic({ token, card }: { readonly token: Token; readonly card: Schemas['CardDetails'] }) {
  const { expiration_month: month, expiration_year: year } = card;
  return (
    <div className="plastic">
      <Wheel className="plastic-wheel" />
      <div>
        <span className="plastic-chip" />
        <span className="plastic-brand">{brandOf(card)}</span>
      </div>
      <div className="plastic-number">{numberOf(token) ?? `•••• ${card.last4 ?? ''}`}</div>
      <div>
        {month === undefined || year === undefined ? (
          <span />
        ) : (
          <span>
            <small>Expires</small>
            {String(month).padStart(2, '0')} / {String(year).slice(-2)}
          </span>
        )}
      </div>
    </div>
  );
}

function numberOf({ data }: Token): string | undefined {
  if (typeof data !== 'object' || data === null || !('number' in data)) return undefined;
  return typeof data.number === 'string' ? drawMask(data.number) : undefined;
}
