import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, type Schemas, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { type Column, DataTable } from '../../parts/data-table';
import { Section } from '../../parts/page';
import { QueryView } from '../../parts/query-view';
import { Seen } from '../../parts/seen';
import { Empty } from '../../parts/states';
import { Tag } from '../../parts/tag';
import { Time } from '../../parts/time';
import { ActorName } from '../../parts/actor-name';

type Log = Schemas['Log'];

const columns: readonly Column<Log>[] = [
  { header: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    header: 'Event',
    isWide: true,
    cell: ({ message, outcome }) => (
      <>
        {message} {outcome === 'success' ? null : <Tag tone="bad">{outcome}</Tag>}
      </>
    ),
  },
  { header: 'Who', cell: ({ actor_id, actor_type }) => <ActorName id={actor_id} type={actor_type} /> },
  { header: 'Data seen', cell: ({ transform }) => <Seen transform={transform} /> },
];

/** Shows the recent audit records of a token. */
export function TokenTrail({ id }: { readonly id: string }) {
  const { tenant } = useMember();
  const logs = useQuery({
    queryKey: ['token-trail', tenant.id, id],
    queryFn: () => unwrap(api.GET('/logs', { params: { query: { entity_id: id, size: 20 } } })),
  });
  return (
    <Section
      title="Audit trail"
      note="The last 20 records."
      actions={
        <Link to="/audit" search={{ entity_id: id }}>
          All records in the audit log
        </Link>
      }
    >
      <QueryView query={logs} what="the audit trail">
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="The log has no record of this token." />
          ) : (
            <DataTable caption="Audit trail, newest first" columns={columns} rows={data} keyOf={(log) => log.id} />
          )
        }
      </QueryView>
    </Section>
  );
}
