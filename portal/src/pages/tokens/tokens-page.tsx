import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMember } from '../../api/me';
import { FirstCommand } from '../../parts/first-command';
import { Page } from '../../parts/page';
import { QueryView } from '../../parts/query-view';
import { Empty } from '../../parts/states';
import { TokenFilters } from './token-filters';
import { loadTokens, mayHoldData } from './token-query';
import type { TokenSearch } from './token-search';
import { TokenSearchBox } from './token-search-box';
import { TokenTable } from './token-table';

/** Lists the stored tokens. Their data is masked for everybody. */
export function TokensPage() {
  const { tenant } = useMember();
  const { query: openQuery, start, ...filters } = useSearch({ from: '/tokens' });
  const navigate = useNavigate({ from: '/tokens' });
  // A query that may contain token data is only kept in memory, because addresses are remembered and logged.
  const [hiddenQuery, setHiddenQuery] = useState<string>();
  const query = hiddenQuery ?? openQuery;
  const search: TokenSearch = {
    ...filters,
    ...(query === undefined ? {} : { query }),
    ...(start === undefined ? {} : { start }),
  };
  const page = useQuery({
    queryKey: ['tokens', tenant.id, search],
    queryFn: () => loadTokens(search),
    placeholderData: keepPreviousData,
  });
  const find = (text?: string) => {
    const isHidden = text !== undefined && mayHoldData(text);
    setHiddenQuery(isHidden ? text : undefined);
    void navigate({ search: { ...filters, ...(text === undefined || isHidden ? {} : { query: text }) } });
  };
  const showAll = () => {
    setHiddenQuery(undefined);
    void navigate({ search: {} });
  };
  const keepQuery = openQuery === undefined ? {} : { query: openQuery };
  const isNarrowed = query !== undefined || Object.keys(filters).length > 0;
  return (
    <Page
      title="Tokens"
      lead="Everything that is stored, newest first. Data is masked for every member; nothing here reveals it."
    >
      <TokenSearchBox query={query} find={find} />
      <TokenFilters search={filters} apply={(chosen) => void navigate({ search: { ...keepQuery, ...chosen } })} />
      <QueryView query={page} what="tokens">
        {({ data, pagination }) =>
          data.length === 0 ? (
            <NoTokens isNarrowed={isNarrowed || start !== undefined} showAll={showAll} />
          ) : (
            <>
              <TokenTable tokens={data} isOld={page.isPlaceholderData} />
              <nav className="pager" aria-label="Pages">
                {start === undefined ? (
                  <span />
                ) : (
                  <Link to="/tokens" search={{ ...filters, ...keepQuery }}>
                    Newest tokens
                  </Link>
                )}
                {pagination.next === undefined ? (
                  <span className="note">These are all.</span>
                ) : (
                  <Link to="/tokens" search={{ ...filters, ...keepQuery, start: pagination.next }} className="button">
                    Older tokens
                  </Link>
                )}
              </nav>
            </>
          )
        }
      </QueryView>
    </Page>
  );
}

function NoTokens({ isNarrowed, showAll }: { readonly isNarrowed: boolean; readonly showAll: () => void }) {
  if (isNarrowed) {
    return (
      <Empty title="No token matches.">
        <p>Check the spelling, or loosen a filter.</p>
        <button type="button" onClick={showAll}>
          Show all tokens
        </button>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing is stored yet.">
      <p>
        Store a card with a key of one of your <Link to="/applications">applications</Link>:
      </p>
      <FirstCommand />
      <p className="note">The response has the id of the token, which is safe to keep in your own database.</p>
    </Empty>
  );
}
