import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from './client';

export type StoredProxy = Schemas['StoredProxy'];
export type Transform = Schemas['ProxyTransform'];
export type Preview = Schemas['ProxyPreview'];

/** The vault allows no more proxies than this for a tenant. */
const routesMax = 200;
const pageSize = 100;

export const routesQuery = queryOptions({
  queryKey: ['routes'],
  queryFn: async (): Promise<StoredProxy[]> => {
    const pages: StoredProxy[] = [];
    for (let page = 1; page <= routesMax / pageSize; page += 1) {
      const query = { page, size: pageSize };
      const { data, pagination } = await unwrap(api.GET('/proxies', { params: { query } }));
      pages.push(...data);
      if (page >= pagination.total_pages) break;
    }
    return pages;
  },
});

export function createRoute(body: Schemas['CreateProxyRequest']): Promise<StoredProxy> {
  return unwrap(api.POST('/proxies', { body }));
}

export function deleteRoute(id: string) {
  return unwrap(api.DELETE('/proxies/{id}', { params: { path: { id } } }));
}

/** Tries transforms with sample messages. The vault calls nobody for it. */
export function previewRoute(body: Schemas['PreviewProxyRequest']): Promise<Preview> {
  return unwrap(api.POST('/proxies/preview', { body }));
}
