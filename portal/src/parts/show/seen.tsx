import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Eye } from 'lucide-react';
import { api, type Schemas, unwrap } from '../../api/client';
import { Card } from '../page/card';
import { QueryView } from '../page/query-view';
import { Empty } from '../page/states';
import { formatNumber } from './number';
import { RecordRows } from './record-rows';
import { SightMark, type SightKind, sightLabels } from './sight';

const day = 86_400_000;
const daysShown = 30;
const recordsShown = 12;

/** The filter for the records of a member or an application, or of a key. */
type Whose = { readonly actor_id: string } | { readonly key_id: string };

/** Says how much somebody saw within a month, and what they did last. Each number leads to its records. */
export function Seen({ whose, title }: { readonly whose: Whose; readonly title: string }) {
  const start = new Date(Math.floor(Date.now() / day) * day - (daysShown - 1) * day).toISOString();
  const facets = useQuery({
    queryKey: ['seen-facets', whose, start],
    queryFn: () => unwrap(api.GET('/logs/facets', { params: { query: { ...whose, start_date: start } } })),
  });
  const latest = useQuery({
    queryKey: ['seen-latest', whose, start],
    queryFn: () =>
      unwrap(
        api.GET('/logs', {
          params: { query: { ...whose, start_date: start, exclude: 'member_views', size: recordsShown } },
        }),
      ),
  });
  return (
    <Card
      title={title}
      note={`Within ${daysShown} days`}
      actions={
        <Link to="/audit" search={{ ...whose, range: '30d', views: 'shown' }}>
          All records
        </Link>
      }
    >
      <QueryView query={facets} what="what was seen" rows={2}>
        {(found) => (
          <>
            <Amounts facets={found} whose={whose} />
            {found.is_exact ? null : <p className="note seen-note">Counted in the newest records that fit.</p>}
          </>
        )}
      </QueryView>
      <QueryView query={latest} what="the latest records" rows={6}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon={Eye} title={`Nothing but page views within ${daysShown} days`} />
          ) : (
            <RecordRows records={data} filters={whose} />
          )
        }
      </QueryView>
    </Card>
  );
}

/** The filters of the log that each number stands for. */
const amounts: readonly {
  readonly sight: SightKind;
  readonly label: string;
  readonly field: 'transform' | 'outcome';
  readonly value: string;
}[] = [
  { sight: 'plaintext', label: sightLabels.plaintext, field: 'transform', value: 'reveal' },
  { sight: 'masked', label: sightLabels.masked, field: 'transform', value: 'mask' },
  { sight: 'denied', label: sightLabels.denied, field: 'outcome', value: 'denied' },
  { sight: 'denied', label: 'Not found', field: 'outcome', value: 'missed' },
];

function Amounts({ facets, whose }: { readonly facets: Schemas['LogFacets']; readonly whose: Whose }) {
  return (
    <ul className="stats">
      {amounts.map(({ sight, label, field, value }) => (
        <li key={value}>
          <Link to="/audit" search={{ ...whose, [field]: value, range: '30d', views: 'shown' }} className="stat">
            <span className={`sight sight-${sight}`}>
              <SightMark of={sight} />
              <span className="muted">{label}</span>
            </span>
            <span className="stat-value">{formatNumber(countIn(facets, field, value))}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function countIn({ fields }: Schemas['LogFacets'], field: string, value: string): number {
  return fields.find((one) => one.field === field)?.values.find((one) => one.value === value)?.records ?? 0;
}
