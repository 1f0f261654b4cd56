import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { applicationsQuery } from './applications';
import { membersQuery } from './members';

export interface KnownActor {
  readonly name: string;
  readonly kind: 'application' | 'member';
}

/** Names are a help, and change rarely. */
const staleTime = 60_000;

/** What applications and members are called, by id: the log knows ids only. */
export function useNames(): ReadonlyMap<string, KnownActor> {
  const { data: applications = [] } = useQuery({ ...applicationsQuery, staleTime });
  const { data: members } = useQuery({ ...membersQuery, staleTime });
  return useMemo(
    () =>
      new Map<string, KnownActor>([
        ...applications.map(({ id, name }) => [id, { name, kind: 'application' }] as const),
        ...(members?.data ?? []).map(
          ({ user }) => [user.id, { name: user.email ?? 'A member', kind: 'member' }] as const,
        ),
      ]),
    [applications, members],
  );
}
