import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronRight, CreditCard, Plus, SearchX } from 'lucide-react';
import { useEffect } from 'react';
import { useMember } from '../../api/me';
import { Button, buttonClass } from '../../parts/controls/button';
import { FirstCommand } from '../../parts/controls/first-command';
import { Icon } from '../../parts/icon';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { TokenFilters } from './token-filters';
import { setPasted, usePasted } from '../../parts/find/pasted-text';
import { isQuery, readPasted } from '../../parts/find/readings';
import { loadTokens, mayHoldData } from './token-query';
import { useMetadataKeys } from './use-metadata-keys';
import type { TokenSearch } from './token-search';
import { rememberSearch } from './last-search';
import { SearchReadings } from './search-readings';
import { TokenSearchBox } from './token-search-box';
import { TokenTable } from './token-table';

/** Lists the stored tokens. Their data is masked for everybody. */
export function TokensPage() {
  const { tenant } = useMember();
  const openSearch = useSearch({ from: '/tokens' });
  const { query: openQuery, start, ...filters } = openSearch;
  const navigate = useNavigate({ from: '/tokens' });
  // A query that may contain token data is only kept in memory, because addresses are remembered and logged.
  const hiddenQuery = usePasted();
  useEffect(() => () => setPasted(undefined), []);
  useEffect(() => rememberSearch(openSearch, hiddenQuery), [openSearch, hiddenQuery]);
  const query = hiddenQuery ?? openQuery;
  const search: TokenSearch = {
    ...filters,
    ...(query === undefined ? {} : { query }),
    ...(start === undefined ? {} : { start }),
  };
  const isPasted = query !== undefined && !isQuery(query);
  const keys = useMetadataKeys({ isNeeded: isPasted });
  const page = useQuery({
    queryKey: ['tokens', tenant.id, search, keys.data],
    queryFn: () => loadTokens(search, keys.data),
    enabled: keys.isReady,
    placeholderData: keepPreviousData,
  });
  const find = (text?: string) => {
    const isHidden = text !== undefined && (isQuery(text) ? mayHoldData(text) : readPasted(text, []).isSecret);
    setPasted(isHidden ? text : undefined);
    void navigate({ search: { ...filters, ...(text === undefined || isHidden ? {} : { query: text }) } });
  };
  const showAll = () => {
    setPasted(undefined);
    void navigate({ search: {} });
  };
  const keepQuery = openQuery === undefined ? {} : { query: openQuery };
  const isNarrowed = query !== undefined || Object.keys(filters).length > 0;
  return (
    <Page
      title="Tokens"
      lead="Newest first. Values are masked for every member; nothing in the portal reveals them."
      docs="concepts/tokens"
      hasTimes
      actions={
        // The policy of that page allows frames, so it is loaded as a whole.
        <a href="/portal/new-token" className={buttonClass()}>
          <Icon of={Plus} />
          New token
        </a>
      }
    >
      <TokenSearchBox query={query} find={find} />
      {isPasted ? <SearchReadings text={query} metadataKeys={keys.data} /> : null}
      <TokenFilters search={filters} apply={(chosen) => void navigate({ search: { ...keepQuery, ...chosen } })} />
      <QueryView query={page} what="tokens" rows={10}>
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
                  <span>These are all.</span>
                ) : (
                  <Link
                    to="/tokens"
                    search={{ ...filters, ...keepQuery, start: pagination.next }}
                    className={buttonClass({ isSmall: true })}
                  >
                    Older tokens
                    <Icon of={ChevronRight} isSmall />
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
      <div className="card">
        <Empty icon={SearchX} title="No token matches" actions={<Button onClick={showAll}>Show all tokens</Button>}>
          <p>
            Check the spelling, or loosen a filter. A value of the data can only be found if its token has a search
            index for it.
          </p>
        </Empty>
      </div>
    );
  }
  return (
    <div className="card">
      <Empty icon={CreditCard} title="No tokens yet">
        <p>
          Store a card with a key of one of your <Link to="/applications">applications</Link>. The response has the id
          of the token, which is safe to keep in your own database.
        </p>
        <FirstCommand />
      </Empty>
    </div>
  );
}
