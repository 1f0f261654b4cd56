import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMember } from '../../api/me';
import { listSessions } from '../../api/sessions';
import { Page } from '../../parts/page';
import { QueryView } from '../../parts/query-view';
import { Empty } from '../../parts/states';
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
    >
      <nav className="session-kinds" aria-label="Which sessions">
        <Kind name="Authorized" isShown={isAuthorized} />
        <Kind name="Waiting" isShown={!isAuthorized} waiting="true" />
      </nav>
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

function Kind({
  name,
  isShown,
  waiting,
}: {
  readonly name: string;
  readonly isShown: boolean;
  readonly waiting?: string;
}) {
  return (
    <Link
      to="/sessions"
      search={waiting === undefined ? {} : { waiting }}
      className="button"
      aria-current={isShown ? 'true' : undefined}
    >
      {name}
    </Link>
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
        <span className="note">These are all.</span>
      ) : (
        <Link to="/sessions" search={{ ...kept, start: next }} className="button">
          Older sessions
        </Link>
      )}
    </nav>
  );
}

function None({ isAuthorized }: { readonly isAuthorized: boolean }) {
  return (
    <Empty title={isAuthorized ? 'No session can be used right now.' : 'No session waits to be authorized.'}>
      <p>
        {isAuthorized
          ? 'A session ends after three minutes, unless its server gives it longer, up to a day. Those that have ended are in the audit log.'
          : 'A session can do nothing until a server authorizes it, and ends after three minutes.'}
      </p>
      {isAuthorized ? (
        <Link to="/audit" search={{ entity_type: 'session' }}>
          Sessions in the audit log
        </Link>
      ) : null}
    </Empty>
  );
}
