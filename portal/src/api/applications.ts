import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './client';

export type Application = Schemas['Application'];
export type ApplicationType = Application['type'];
export const applicationTypes: readonly ApplicationType[] = ['private', 'public', 'management'];

/** The largest page that the API returns. */
const sizeMax = 100;
/** The maximum number of applications loaded to search by name, because the API has no such search. */
export const searchedMax = 1_000;

export function listApplications(page: number, type: ApplicationType | undefined): Promise<Schemas['ApplicationPage']> {
  const query = { page, size: sizeMax, ...(type === undefined ? {} : { type }) };
  return unwrap(api.GET('/applications', { params: { query } }));
}

/** Loads the newest applications, up to `searchedMax`. */
export async function loadApplications(type?: ApplicationType): Promise<Application[]> {
  const first = await listApplications(1, type);
  const found = [...first.data];
  for (let page = 2; page <= first.pagination.total_pages && found.length < searchedMax; page += 1) {
    found.push(...(await listApplications(page, type)).data);
  }
  return found;
}

export const applicationsQuery = queryOptions({
  queryKey: ['applications', 'newest'],
  queryFn: () => loadApplications(),
});

export function getApplication(id: string): Promise<Application> {
  return unwrap(api.GET('/applications/{id}', { params: { path: { id } } }));
}

/** Lists the permissions that an application of the type can have, or all permissions if no type is given. */
export function permissionsQuery(type?: ApplicationType) {
  return queryOptions({
    queryKey: ['permissions', type ?? 'all'],
    queryFn: (): Promise<Schemas['Permission'][]> =>
      unwrap(api.GET('/permissions', { params: { query: type === undefined ? {} : { application_type: type } } })),
    staleTime: Infinity,
  });
}
