import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMember } from '../../api/me';
import type { Session } from '../../api/sessions';
import { Button, buttonClass } from '../../parts/controls/button';
import { CopiedId } from '../../parts/controls/copied-id';
import { ActorName } from '../../parts/show/actor-name';
import { type Column, TableCard } from '../../parts/show/data-table';
import { Time } from '../../parts/show/time';
import { EndSession } from './end-session';
import { SessionRights } from './session-rights';

const facts: readonly Column<Session>[] = [
  { header: 'Session', cell: ({ id }) => <CopiedId id={id} /> },
  { header: 'Created by', cell: ({ application_id: id }) => <ActorName id={id} /> },
  { header: 'Authorized by', cell: Authorizer },
  { header: 'May', isWide: true, cell: (session) => <SessionRights session={session} /> },
  { header: 'Works in', cell: ({ origin }) => (origin === undefined ? 'any page' : 'card fields only') },
  { header: 'Created', cell: ({ created_at: at }) => <Time at={at} form="ago" /> },
  { header: 'Ends', cell: ({ expires_at: at }) => <Time at={at} /> },
];

export function SessionTable({ sessions }: { readonly sessions: readonly Session[] }) {
  const mayEnd = useMember().may('session:delete');
  const [ended, setEnded] = useState<Session>();
  const actions: Column<Session> = {
    header: 'Actions',
    isActions: true,
    cell: (session) => (
      <span className="row-actions">
        <Link to="/audit" search={{ actor_id: session.id }} className={buttonClass({ kind: 'ghost', isSmall: true })}>
          What it did<span className="unseen"> as session {session.id}</span>
        </Link>
        {mayEnd ? (
          <Button isSmall kind="warns" onClick={() => setEnded(session)}>
            End<span className="unseen"> session {session.id}</span>
          </Button>
        ) : null}
      </span>
    ),
  };
  return (
    <>
      <TableCard caption="Sessions" columns={[...facts, actions]} rows={sessions} keyOf={({ id }) => id} />
      {ended === undefined ? null : <EndSession session={ended} onClose={() => setEnded(undefined)} />}
    </>
  );
}

function Authorizer({ authorized_by: by, authorized_by_key: key }: Session) {
  if (by === undefined) return <span className="muted">nobody yet</span>;
  return (
    <span>
      <ActorName id={by} />
      {key === undefined ? null : (
        <>
          {' '}
          <span className="muted">
            key <CopiedId id={key} />
          </span>
        </>
      )}
    </span>
  );
}
