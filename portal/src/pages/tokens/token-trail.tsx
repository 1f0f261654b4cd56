import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { Card, CardBody } from '../../parts/page/card';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { isPageView } from '../../parts/show/fold';
import type { LogRecord } from '../../parts/show/said';
import { Time } from '../../parts/show/time';
import { sayViews, Trail } from '../../parts/show/trail';

const recordsShown = 100;

/**
 * Tells what happened to a token, newest first. What members saw by merely looking is one line, however often they did.
 */
export function TokenTrail({ id }: { readonly id: string }) {
  const { tenant } = useMember();
  const logs = useQuery({
    queryKey: ['token-trail', tenant.id, id],
    queryFn: () => loadRecords({ entity_id: id, exclude: 'member_views' }),
  });
  const views = useQuery({
    queryKey: ['token-views', tenant.id, id],
    queryFn: async () =>
      (await loadRecords({ entity_id: id, actor_type: 'user', operation: 'read' })).data.filter(isPageView),
  });
  return (
    <Card
      title="Who saw it"
      actions={
        <Link to="/audit" search={{ entity_id: id }}>
          All its records
        </Link>
      }
    >
      <QueryView query={logs} what="its records">
        {({ data }) =>
          data.length + (views.data?.length ?? 0) === 0 ? (
            <Empty title="The log has no record of this token" />
          ) : (
            <CardBody>
              <Views records={views.data ?? []} id={id} />
              <Trail records={data} object="it" />
            </CardBody>
          )
        }
      </QueryView>
    </Card>
  );
}

function loadRecords(query: {
  readonly entity_id: string;
  readonly exclude?: string;
  readonly actor_type?: string;
  readonly operation?: string;
}) {
  return unwrap(api.GET('/logs', { params: { query: { ...query, size: recordsShown } } }));
}

/** Says how often members looked at the token in the portal. Its own page is one of these views. */
function Views({ records, id }: { readonly records: readonly LogRecord[]; readonly id: string }) {
  const [latest] = records;
  if (latest === undefined) return null;
  const isAll = records.length < recordsShown;
  return (
    <p className="note">
      {isAll ? '' : 'More than this: '}
      {sayViews(records)}, last <Time at={latest.created_at} form="ago" />.{' '}
      <Link to="/audit" search={{ entity_id: id, actor_type: 'user', views: 'shown', range: '90d' }}>
        Show these views
      </Link>
    </p>
  );
}
