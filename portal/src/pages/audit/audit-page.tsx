import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../parts/controls/button';
import { Drawer } from '../../parts/overlay/drawer';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { AuditExport } from './audit-export';
import { AuditFacets } from './audit-facets';
import { AuditFilters } from './audit-filters';
import { AuditHistogram } from './audit-histogram';
import { countsQuery, facetsQuery, recordsQuery } from './audit-queries';
import { AuditRecords } from './audit-records';
import type { AuditSearch } from './audit-search';
import { RecordDrawer } from './record-drawer';

const route = getRouteApi('/audit');

/** Shows the audit log. All filters and selections are stored in the address. */
export function AuditPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isFiltering, setFiltering] = useState(false);
  const records = useQuery(recordsQuery(search));
  const outcomes = useQuery(countsQuery(search, 'outcome'));
  const sights = useQuery(countsQuery(search, 'transform'));
  const facets = useQuery(facetsQuery(search));
  /**
   * Applies a change. Unless the change selects a page or opens a record, the list starts at the newest record again.
   */
  const choose = (change: AuditSearch) =>
    void navigate({ search: { ...search, start: undefined, record: undefined, record_at: undefined, ...change } });
  const openRecord = (change: Pick<AuditSearch, 'record' | 'record_at'>) =>
    void navigate({ search: { ...search, record: undefined, record_at: undefined, ...change }, resetScroll: false });
  const facetList = (
    <QueryView query={facets} what="filters" rows={6}>
      {(data) => <AuditFacets facets={data.fields} isExact={data.is_exact} search={search} choose={choose} />}
    </QueryView>
  );
  return (
    <Page
      title="Audit log"
      lead="Who did what, and what they saw. Every record is sealed and can be proven."
      docs="operate/audit-log"
      hasTimes
      actions={<AuditExport search={search} />}
    >
      <AuditFilters
        search={search}
        choose={choose}
        more={
          <span className="audit-narrow">
            <Button isSmall icon={ListFilter} onClick={() => setFiltering(true)}>
              Filters
            </Button>
          </span>
        }
      />
      <Card>
        <CardBody>
          <QueryView query={sights} what="the chart" rows={3}>
            {(data) => <AuditHistogram sights={data} outcomes={outcomes.data} search={search} choose={choose} />}
          </QueryView>
        </CardBody>
      </Card>
      <div className="audit">
        <aside className="audit-wide" aria-label="Filter by">
          {facetList}
        </aside>
        <QueryView query={records} what="records" rows={12}>
          {(page) => <AuditRecords page={page} search={search} choose={choose} isOld={records.isPlaceholderData} />}
        </QueryView>
      </div>
      {isFiltering ? (
        <Drawer title="Filters" onClose={() => setFiltering(false)}>
          <section>{facetList}</section>
        </Drawer>
      ) : null}
      {search.record === undefined || search.record_at === undefined ? null : (
        <RecordDrawer
          id={search.record}
          createdAt={search.record_at}
          others={records.data?.data ?? []}
          onOpen={(record) => openRecord({ record: record.id, record_at: record.created_at })}
          onClose={() => openRecord({})}
        />
      )}
    </Page>
  );
}
