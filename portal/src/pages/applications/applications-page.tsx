import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
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
import { countOf } from '../../parts/number';
import { Page } from '../../parts/page';
import { QueryView } from '../../parts/query-view';
import { Empty } from '../../parts/states';
import { ApplicationTable } from './application-table';
import { typeNames } from './application-types';

const route = getRouteApi('/applications');

interface Listed {
  readonly applications: readonly Application[];
  readonly total: number;
  readonly pages: number;
}

export function ApplicationsPage() {
  const { query = '', type: typeText, page: pageText } = route.useSearch();
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
      actions={
        member.may('application:create') ? (
          <Link to="/applications/new" className="button primary">
            New application
          </Link>
        ) : undefined
      }
    >
      <Filters query={query} type={type} />
      <QueryView query={listed} what="applications">
        {(data) => <List listed={data} query={query} page={page} isFiltered={isSearching || type !== undefined} />}
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

function Filters({ query, type }: { readonly query: string; readonly type: ApplicationType | undefined }) {
  const navigate = route.useNavigate();
  // The field has its own state because the address updates too slowly to keep up with typing.
  const [text, setText] = useState(query);
  const change = (changed: { query?: string; type?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...changed, page: '' }), replace: true });
  return (
    <search className="filters">
      <label>
        <span className="unseen">Search by name or id</span>
        <input
          data-search
          type="search"
          placeholder="Search by name or id"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            change({ query: target.value });
          }}
        />
      </label>
      <label>
        <span className="unseen">Type</span>
        <select value={type ?? ''} onChange={({ target }) => change({ type: target.value })}>
          <option value="">All types</option>
          {applicationTypes.map((one) => (
            <option key={one} value={one}>
              {typeNames[one]}
            </option>
          ))}
        </select>
      </label>
    </search>
  );
}

function List(list: {
  readonly listed: Listed;
  readonly query: string;
  readonly page: number;
  readonly isFiltered: boolean;
}) {
  const { listed, query, page, isFiltered } = list;
  const wanted = query.toLowerCase();
  const rows = listed.applications.filter(({ name, id }) => name.toLowerCase().includes(wanted) || id === wanted);
  if (rows.length === 0) return isFiltered ? <NothingFound /> : <NoneYet />;
  return (
    <>
      <ApplicationTable applications={rows} />
      <div className="pager">
        <p className="note" role="status">
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
        <Link from="/applications" to="." search={to(page - 1)} className="button">
          Newer
        </Link>
      ) : null}
      <span className="note">
        Page {page} of {pages}
      </span>
      {page < pages ? (
        <Link from="/applications" to="." search={to(page + 1)} className="button">
          Older
        </Link>
      ) : null}
    </nav>
  );
}

function NothingFound() {
  return (
    <Empty title="No application matches.">
      <Link to="/applications">Show all applications</Link>
    </Empty>
  );
}

function NoneYet() {
  return (
    <Empty title="There are no applications yet.">
      <p>
        An application is a client of the API: a server, a web page or a script. It has permissions on all containers,
        rules on single ones, and keys.
      </p>
      <Link to="/applications/new">Create the first one</Link>
    </Empty>
  );
}
