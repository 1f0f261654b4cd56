import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from './client';

const applicationsPerPage = 100;
const membersPerPage = 50;
/** Names are a help; with more applications than this, the rest are shown by id. */
const pagesMax = 5;

/** What applications and members are called, by id: the log knows ids only. */
export const namesQuery = queryOptions({
  queryKey: ['names'],
  staleTime: 60_000,
  queryFn: async (): Promise<ReadonlyMap<string, string>> => {
    const [applications, members] = await Promise.all([listApplications(), listMembers()]);
    return new Map([...applications, ...members]);
  },
});

export function useNames(): ReadonlyMap<string, string> {
  return useQuery(namesQuery).data ?? new Map<string, string>();
}

async function listApplications(): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (let page = 1; page <= pagesMax; page += 1) {
    const query = { page, size: applicationsPerPage };
    const { data, pagination } = await unwrap(api.GET('/applications', { params: { query } }));
    for (const { id, name } of data) found.push([id, name]);
    if (page >= pagination.total_pages) break;
  }
  return found;
}

async function listMembers(): Promise<[string, string][]> {
  const { data } = await unwrap(api.GET('/tenants/self/members', { params: { query: { size: membersPerPage } } }));
  return data.map(({ user }) => [user.id, user.email ?? 'A member']);
}
