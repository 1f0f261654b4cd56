import type { KnownActor } from '../../api/names';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { CopiedId } from '../controls/copied-id';
import { Time } from '../show/time';

/** An application, session, member or invitation that can see the token. */
export interface Onlooker {
  readonly key: string;
  readonly who: ReactNode;
  readonly kind: ReactNode;
  readonly transform: Schemas['AccessWay']['transform'];
  readonly ways: readonly Schemas['AccessWay'][];
}

/** Maps the response to rows. `names` has the ids of applications and users as keys. */
export function toOnlookers(
  { applications, sessions, members, invitations }: Schemas['Onlookers'],
  names: ReadonlyMap<string, KnownActor>,
): Onlooker[] {
  return [
    ...applications.map(({ id, name, type, transform, ways }) => ({
      key: id,
      who: (
        <Link to="/applications/$applicationId" params={{ applicationId: id }} className="row-name">
          {name}
        </Link>
      ),
      kind: `${type} application`,
      transform,
      ways,
    })),
    ...sessions.map(({ id, authorized_by: by, expires_at: end, transform, ways }) => ({
      key: id,
      who: (
        <>
          <CopiedId id={id} /> until <Time at={end} />
        </>
      ),
      kind: <>session of {names.get(by)?.name ?? <CopiedId id={by} />}</>,
      transform,
      ways,
    })),
    ...members.map(({ id, user_id: userId, role, transform, ways }, index) => ({
      key: id ?? `member ${index}`,
      who: names.get(userId ?? '')?.name ?? 'A member',
      kind: `member (${role})`,
      transform,
      ways,
    })),
    ...invitations.map(({ id, role, expires_at: end, transform, ways }, index) => ({
      key: id ?? `invitation ${index}`,
      who: (
        <>
          Invitation until <Time at={end} form="day" />
        </>
      ),
      kind: `invited as ${role}`,
      transform,
      ways,
    })),
  ];
}
