import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { MonitorSmartphone } from 'lucide-react';
import { useMember } from '../../api/me';
import { listSessions } from '../../api/sessions';
import { buttonClass } from '../../parts/controls/button';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { Tabs } from '../../parts/page/tabs';
import { SessionTable } from './session-table';

const route = getRouteApi('/sessions');

/** Lists the sessions that can be used now and their rights, and lets the user end one. */
export function SessionsPage() {
  const { tenant } = useMember();
  const { waiting, start } = route.useSearch();
  const isAuthorized = waiting === undefined;
  const sessions = useQuery({
    queryKey: ['sessions', tenant.id, isAuthorized, start],
    queryFn: () => listSessions({ isAuthorized, start }),
  });
  return (
    <Page
      title="Sessions"
      lead="Short-lived keys of browsers. A page creates one with a public key, and a server authorizes it with a private one."
      docs="concepts/sessions"
      hasTimes
    >
      <Tabs
        label="Which sessions"
        current={isAuthorized ? 'authorized' : 'waiting'}
        of={[
          { name: 'authorized', label: 'Authorized' },
          { name: 'waiting', label: 'Waiting' },
        ]}
        link={(name, attributes, children) => (
          <Link
            to="/sessions"
            search={name === 'waiting' ? { waiting: 'true' } : {}}
            activeOptions={{ exact: true }}
            {...attributes}
          >
            {children}
          </Link>
        )}
      />
      <QueryView query={sessions} what="sessions">
        {({ data, pagination: { next } }) => (
          <>
            {data.length === 0 ? <None isAuthorized={isAuthorized} /> : <SessionTable sessions={data} />}
            <Pager waiting={waiting} start={start} next={next} />
          </>
        )}
      </QueryView>
    </Page>
  );
}

function Pager(place: {
  readonly waiting: string | undefined;
  readonly start: string | undefined;
  readonly next: string | undefined;
}) {
  const { waiting, start, next } = place;
  const kept = waiting === undefined ? {} : { waiting };
  if (start === undefined && next === undefined) return null;
  return (
    <nav className="pager" aria-label="Pages">
      {start === undefined ? (
        <span />
      ) : (
        <Link to="/sessions" search={kept}>
          Newest sessions
        </Link>
      )}
      {next === undefined ? (
        <span>These are all.</span>
      ) : (
        <Link to="/sessions" search={{ ...kept, start: next }} className={buttonClass({ isSmall: true })}>
          Older sessions
        </Link>
      )}
    </nav>
  );
}

function None({ isAuthorized }: { readonly isAuthorized: boolean }) {
  return (
    <div className="card">
      <Empty
        icon={MonitorSmartphone}
        title={isAuthorized ? 'No session can be used right now' : 'No session waits to be authorized'}
        {...(isAuthorized
          ? {
              actions: (
                <Link to="/audit" search={{ entity_type: 'session' }} className={buttonClass()}>
                  Sessions in the audit log
                </Link>
              ),
            }
          : {})}
      >
        <p>
          {isAuthorized
            ? 'A session ends after three minutes, unless its server gives it longer, up to a day. Those that have ended are in the audit log.'
            : 'A session can do nothing until a server authorizes it, and ends after three minutes.'}
        </p>
      </Empty>
    </div>
  );
}
