import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { DataTable } from '../../parts/data-table';
import { QueryView } from '../../parts/query-view';
import { Time } from '../../parts/time';
import { listKeys } from './application-keys';
import { oldAndNewQuery } from './overview-queries';

const keysShown = 8;

/** Lists the oldest keys. */
export function OldestKeys() {
  return (
    <QueryView query={useQuery(oldAndNewQuery)} what="keys">
      {(applications) => (
        <DataTable
          caption="Oldest keys"
          rows={listKeys(applications).slice(0, keysShown)}
          keyOf={({ key }) => key.id}
          columns={[
            {
              header: 'Application',
              isWide: true,
              cell: ({ application }) => (
                <Link to="/applications/$applicationId" params={{ applicationId: application.id }}>
                  {application.name}
                </Link>
              ),
            },
            { header: 'Created', cell: ({ key }) => <Time at={key.created_at} form="ago" /> },
          ]}
        />
      )}
    </QueryView>
  );
}
