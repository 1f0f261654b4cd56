import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../../parts/data-table';
import { Tag } from '../../parts/tag';
import { Time } from '../../parts/time';
import type { Token } from './token-query';
import { summarize } from './token-summary';

const columns: readonly Column<Token>[] = [
  {
    header: 'Token',
    cell: ({ id }) => (
      <Link to="/tokens/$tokenId" params={{ tokenId: id }} className="mono token-id" title={id}>
        {shorten(id)}
      </Link>
    ),
  },
  { header: 'Type', cell: ({ type }) => <Tag>{type}</Tag> },
  {
    header: 'Masked data',
    isWide: true,
    cell: (token) => (
      <span className="mono token-data">{summarize(token) || <span className="note">redacted</span>}</span>
    ),
  },
  { header: 'Containers', cell: ({ containers }) => <code className="token-cell">{containers.join(' ')}</code> },
  { header: 'Metadata', cell: ({ metadata }) => <Metadata pairs={metadata} /> },
  { header: 'Created', cell: ({ created_at }) => <Time at={created_at} form="ago" /> },
];

export function TokenTable({ tokens, isOld }: { readonly tokens: readonly Token[]; readonly isOld: boolean }) {
  return (
    <div aria-busy={isOld} className={isOld ? 'old' : undefined}>
      <DataTable caption="Tokens, newest first" columns={columns} rows={tokens} keyOf={({ id }) => id} />
    </div>
  );
}

/** Shows the first few pairs. The token's own page shows all of them. */
function Metadata({ pairs = {} }: { readonly pairs?: Readonly<Record<string, string>> | undefined }) {
  const entries = Object.entries(pairs);
  const shown = entries.slice(0, 2).map(([key, value]) => `${key}=${value}`);
  if (shown.length === 0) return <span className="note">-</span>;
  return (
    <code className="token-cell" title={entries.map(([key, value]) => `${key}=${value}`).join('\n')}>
      {shown.join(' ')}
      {entries.length > shown.length ? ` +${entries.length - shown.length}` : ''}
    </code>
  );
}

function shorten(id: string): string {
  return id.length <= 18 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}
