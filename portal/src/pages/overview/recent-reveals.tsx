import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Eye } from 'lucide-react';
import { Card } from '../../parts/page/card';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { SaidOf } from '../../parts/show/said';
import { SightMark } from '../../parts/show/sight';
import { Time } from '../../parts/show/time';
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
            <ul className="rows">
              {data.map((record) => (
                <li key={`${record.id} ${record.entity_id}`}>
                  <Link
                    to="/audit"
                    search={{ range: '30d', transform: 'reveal', record: record.id, record_at: record.created_at }}
                    className="row"
                  >
                    <span className="sight sight-plaintext">
                      <SightMark of="plaintext" />
                    </span>
                    <SaidOf record={record} />
                    <span className="tail">
                      <Time at={record.created_at} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Card>
  );
}
