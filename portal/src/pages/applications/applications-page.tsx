import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { AppWindow, Plus, SearchX } from 'lucide-react';
import { useState } from 'react';
import {
  type Application,
  type ApplicationType,
  applicationTypes,
  listApplications,
  loadApplications,
  searchedMax,
} from '../../api/applications';
import { useMember } from '../../api/me';
import { buttonClass } from '../../parts/controls/button';
import { SearchBox } from '../../parts/controls/search-box';
import { Segments } from '../../parts/controls/segments';
import { couldBecomeCardNumber, holdsCardNumber } from '../../parts/find/card-number';
import { CardNumberRefused } from '../../parts/find/card-number-refused';
import { Icon } from '../../parts/icon';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { countOf } from '../../parts/show/number';
import { ApplicationTable } from './application-table';
import { typeNames } from './application-types';

const route = getRouteApi('/applications');

interface Listed {
  readonly applications: readonly Application[];
  readonly total: number;
  readonly pages: number;
}

export function ApplicationsPage() {
  const { query: queryText = '', type: typeText, page: pageText } = route.useSearch();
  // The field has its own state because the address updates too slowly to keep up with typing, and because digits that
  // could become a card number are not written into it.
  const [text, setText] = useState(queryText);
  const query = couldBecomeCardNumber(text) && !holdsCardNumber(text) ? text : queryText;
  const type = applicationTypes.find((one) => one === typeText);
  const page = Math.max(1, Number.parseInt(pageText ?? '1', 10) || 1);
  const isSearching = query !== '';
  const listed = useQuery({
    queryKey: ['applications', type, isSearching ? 'all' : page],
    queryFn: () => load(isSearching, page, type),
    placeholderData: (previous) => previous,
  });
  const member = useMember();
  return (
    <Page
      title="Applications"
      lead="Clients of the API, what each may do, and the keys they do it with."
      docs="concepts/containers-and-rules"
      hasTimes
      actions={
        member.may('application:create') ? (
          <Link to="/applications/new" className={buttonClass({ kind: 'main' })}>
            <Icon of={Plus} />
            New application
          </Link>
        ) : undefined
      }
    >
      <Filters text={text} setText={setText} type={type} />
      <QueryView query={listed} what="applications" rows={8}>
        {(data) => (
          <List
            listed={data}
            query={query}
            page={page}
            isFiltered={isSearching || type !== undefined}
            clear={() => setText('')}
          />
        )}
      </QueryView>
    </Page>
  );
}

async function load(isSearching: boolean, page: number, type: ApplicationType | undefined): Promise<Listed> {
  if (isSearching) {
    const applications = await loadApplications(type);
    return { applications, total: applications.length, pages: 1 };
  }
  const { data, pagination } = await listApplications(page, type);
  return { applications: data, total: pagination.total_items, pages: pagination.total_pages };
}

const everyType = 'all';

function Filters({
  text,
  setText,
  type,
}: {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly type: ApplicationType | undefined;
}) {
  const navigate = route.useNavigate();
  const change = (changed: { query?: string; type?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...changed, page: '' }), replace: true });
  return (
    <search className="application-filters">
      <SearchBox
        label="Search by name or id"
        placeholder="Search by name or id"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          change({ query: couldBecomeCardNumber(target.value) ? '' : target.value });
        }}
      />
      {holdsCardNumber(text) ? <CardNumberRefused /> : null}
      <Segments
        label="Type"
        value={type ?? everyType}
        options={[
          { value: everyType, label: 'All' },
          ...applicationTypes.map((value) => ({ value, label: typeNames[value] })),
        ]}
        onChange={(chosen) => change({ type: chosen === everyType ? '' : chosen })}
      />
    </search>
  );
}

function List(list: {
  readonly listed: Listed;
  readonly query: string;
  readonly page: number;
  readonly isFiltered: boolean;
  readonly clear: () => void;
}) {
  const { listed, query, page, isFiltered, clear } = list;
  const wanted = query.toLowerCase();
  const rows = listed.applications.filter(({ name, id }) => name.toLowerCase().includes(wanted) || id === wanted);
  if (rows.length === 0) return <div className="card">{isFiltered ? <NothingFound clear={clear} /> : <NoneYet />}</div>;
  return (
    <>
      <ApplicationTable applications={rows} />
      <div className="pager">
        <p role="status">
          {query === '' ? countOf(listed.total, 'application') : countOf(rows.length, 'match', 'matches')}
          {query !== '' && listed.total >= searchedMax ? ` in the newest ${searchedMax}` : ''}
        </p>
        {listed.pages > 1 ? <Pages page={page} pages={listed.pages} /> : null}
      </div>
    </>
  );
}

function Pages({ page, pages }: { readonly page: number; readonly pages: number }) {
  const to = (number: number) => (before: object) => ({ ...before, page: String(number) });
  return (
    <nav className="actions" aria-label="Pages">
      {page > 1 ? (
        <Link from="/applications" to="." search={to(page - 1)} className={buttonClass({ isSmall: true })}>
          Newer
        </Link>
      ) : null}
      <span>
        Page {page} of {pages}
      </span>
      {page < pages ? (
        <Link from="/applications" to="." search={to(page + 1)} className={buttonClass({ isSmall: true })}>
          Older
        </Link>
      ) : null}
    </nav>
  );
}

function NothingFound({ clear }: { readonly clear: () => void }) {
  return (
    <Empty
      icon={SearchX}
      title="No application matches"
      actions={
        <Link to="/applications" className={buttonClass()} onClick={clear}>
          Show all applications
        </Link>
      }
    >
      <p>Names are searched for any part of them, ids as a whole.</p>
    </Empty>
  );
}

function NoneYet() {
  return (
    <Empty
      icon={AppWindow}
      title="No applications yet"
      actions={
        <Link to="/applications/new" className={buttonClass({ kind: 'main' })}>
          Create the first one
        </Link>
      }
    >
      <p>
        An application is a client of the API: a server, a web page or a script. It has permissions on all containers,
        rules on single ones, and keys.
      </p>
    </Empty>
  );
}
