import { queryOptions, useQuery } from '@tanstack/react-query';
import { loadApplications } from './applications';
import { api, unwrap } from './client';

/** As many as the API lists at once; further members are shown by id. */
const membersShown = 50;

export interface KnownActor {
  readonly name: string;
  readonly kind: 'application' | 'member';
}

/** What applications and members are called, by id: the log knows ids only. */
const namesQuery = queryOptions({
  queryKey: ['names'],
  staleTime: 60_000,
  queryFn: async (): Promise<ReadonlyMap<string, KnownActor>> => {
    const [applications, members] = await Promise.all([
      loadApplications(),
      unwrap(api.GET('/tenants/self/members', { params: { query: { size: membersShown } } })),
    ]);
    return new Map<string, KnownActor>([
      ...applications.map(({ id, name }) => [id, { name, kind: 'application' }] as const),
      ...members.data.map(({ user }) => [user.id, { name: user.email ?? 'A member', kind: 'member' }] as const),
    ]);
  },
});

const unknown: ReadonlyMap<string, KnownActor> = new Map();

export function useNames(): ReadonlyMap<string, KnownActor> {
  return useQuery(namesQuery).data ?? unknown;
}
