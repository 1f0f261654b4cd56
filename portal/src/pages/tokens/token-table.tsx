import { Link } from '@tanstack/react-router';
import { CopiedId } from '../../parts/controls/copied-id';
import { type Column, TableCard } from '../../parts/show/data-table';
import { Time } from '../../parts/show/time';
import { kindOf, TokenGlyph } from '../../parts/show/token-kind';
import type { Token } from './token-query';
import { brandOf, summarize } from './token-summary';

const columns: readonly Column<Token>[] = [
  {
    header: 'Masked value',
    cell: (token) => (
      <span className="main-cell">
        <TokenGlyph type={token.type} />
        <Link to="/tokens/$tokenId" params={{ tokenId: token.id }} className="value">
          {summarize(token) || <span className="muted">No data</span>}
        </Link>
      </span>
    ),
  },
  {
    header: 'Type',
    narrow: 'hidden',
    cell: ({ type, card }) => (card === undefined ? kindOf(type).name : brandOf(card)),
  },
  { header: 'Id', narrow: 'hidden', cell: ({ id }) => <CopiedId id={id} /> },
  { header: 'Container', narrow: 'below-end', cell: ({ containers }) => <code>{containers.join(' ')}</code> },
  { header: 'Metadata', isWide: true, narrow: 'below', cell: ({ metadata }) => <Metadata pairs={metadata} /> },
  { header: 'Created', narrow: 'end', cell: ({ created_at }) => <Time at={created_at} /> },
];

export function TokenTable({ tokens, isOld }: { readonly tokens: readonly Token[]; readonly isOld: boolean }) {
  return (
    <div aria-busy={isOld} className="tokens-list">
      <TableCard caption="Tokens, newest first" columns={columns} rows={tokens} keyOf={({ id }) => id} />
    </div>
  );
}

/** Shows the first few pairs. The token's own page shows all of them. */
function Metadata({ pairs = {} }: { readonly pairs?: Readonly<Record<string, string>> | undefined }) {
  const entries = Object.entries(pairs);
  const shown = entries.slice(0, 2).map(([key, value]) => `${key}=${value}`);
  if (shown.length === 0) return null;
  return (
    <code title={entries.map(([key, value]) => `${key}=${value}`).join('\n')}>
      {shown.join(' ')}
      {entries.length > shown.length ? ` +${entries.length - shown.length}` : ''}
    </code>
  );
}
