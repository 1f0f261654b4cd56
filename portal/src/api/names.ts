import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { applicationsQuery } from './applications';
import { membersQuery } from './members';

export interface KnownActor {
  readonly name: string;
  readonly kind: 'application' | 'member';
}

/** Names rarely change, and a stale one does no harm. */
const staleTime = 60_000;

/** Returns the names of applications and members by id, because the log only contains ids. */
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
