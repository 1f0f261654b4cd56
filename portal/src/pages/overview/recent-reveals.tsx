import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Eye } from 'lucide-react';
import { Card } from '../../parts/page/card';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { RecordRows } from '../../parts/show/record-rows';
import { SightMark } from '../../parts/show/sight';
import { daysShown, revealsQuery } from './overview-queries';

/** Shows who saw plaintext last. */
export function RecentReveals() {
  return (
    <Card
      title="Recent plaintext views"
      actions={
        <Link to="/audit" search={{ range: '30d', transform: 'reveal' }}>
          All of them
        </Link>
      }
    >
      <QueryView query={useQuery(revealsQuery)} what="plaintext views" rows={8}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon={Eye} title="Nobody saw plaintext">
              <p>Within the last {daysShown} days, every value that left the vault was masked.</p>
            </Empty>
          ) : (
            <RecordRows
              records={data}
              filters={{ transform: 'reveal' }}
              mark={
                <span className="sight sight-plaintext">
                  <SightMark of="plaintext" />
                </span>
              }
            />
          )
        }
      </QueryView>
    </Card>
  );
}
