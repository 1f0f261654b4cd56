import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../../parts/page';
import { QueryView } from '../../parts/query-view';
import { AuditExport } from './audit-export';
import { AuditFacets } from './audit-facets';
import { AuditFilters } from './audit-filters';
import { AuditHistogram } from './audit-histogram';
import { countsQuery, facetsQuery, recordsQuery } from './audit-queries';
import type { AuditSearch } from './audit-search';
import { AuditTable } from './audit-table';
import { RecordDialog } from './record-dialog';

const route = getRouteApi('/audit');

/** Shows the audit log. All filters and selections are stored in the address. */
export function AuditPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const records = useQuery(recordsQuery(search));
  const counts = useQuery(countsQuery(search));
  const facets = useQuery(facetsQuery(search));
  /**
   * Applies a change. Unless the change selects a page or opens a record, the list starts at the newest record again.
   */
  const choose = (change: AuditSearch) =>
    void navigate({ search: { ...search, start: undefined, record: undefined, record_at: undefined, ...change } });
  return (
    <Page
      title="Audit log"
      lead="Who did what, and what they saw. Every record is sealed and can be proven."
      actions={<AuditExport search={search} />}
    >
      <AuditFilters search={search} choose={choose} />
      <QueryView query={counts} what="the chart">
        {(data) => <AuditHistogram counts={data} search={search} choose={choose} />}
      </QueryView>
      <div className="audit-columns">
        <QueryView query={facets} what="filters">
          {(data) => <AuditFacets facets={data.fields} search={search} choose={choose} />}
        </QueryView>
        <div>
          <QueryView query={records} what="records">
            {(page) => <AuditTable page={page} search={search} choose={choose} />}
          </QueryView>
        </div>
      </div>
      {search.record === undefined || search.record_at === undefined ? null : (
        <RecordDialog
          key={search.record}
          id={search.record}
          createdAt={search.record_at}
          onClose={() => void navigate({ search: { ...search, record: undefined, record_at: undefined } })}
        />
      )}
    </Page>
  );
}
