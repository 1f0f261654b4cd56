import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './client';

export type Application = Schemas['Application'];
export type ApplicationType = Application['type'];
export const applicationTypes: readonly ApplicationType[] = ['private', 'public', 'management'];

/** As many as the API lists at once. */
const sizeMax = 100;
/** How many are read to search in them: the API does not search by name. */
export const searchedMax = 1_000;

export function listApplications(page: number, type: ApplicationType | undefined): Promise<Schemas['ApplicationPage']> {
  const query = { page, size: sizeMax, ...(type === undefined ? {} : { type }) };
  return unwrap(api.GET('/applications', { params: { query } }));
}

/** The newest applications, up to `searchedMax`. */
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

/** What an application of a type can be permitted; without a type, everything that exists. */
export function permissionsQuery(type?: ApplicationType) {
  return queryOptions({
    queryKey: ['permissions', type ?? 'all'],
    queryFn: (): Promise<Schemas['Permission'][]> =>
      unwrap(api.GET('/permissions', { params: { query: type === undefined ? {} : { application_type: type } } })),
    staleTime: Infinity,
  });
}
