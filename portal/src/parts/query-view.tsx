import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure, Loading } from './states';

/** Shows loaded data, a loading state, or the reason for a failure. */
export function QueryView<Data>(view: {
  readonly query: UseQueryResult<Data>;
  readonly what: string;
  readonly children: (data: Data) => ReactNode;
}) {
  const { query, what, children } = view;
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading what={what} />;
}
