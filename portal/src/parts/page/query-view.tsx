import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loading } from './loading';
import { Failure } from './states';

/** Shows loaded data, bones while it loads, or the reason for a failure. */
export function QueryView<Data>(view: {
  readonly query: UseQueryResult<Data>;
  readonly what: string;
  /** The number of bones. */
  readonly rows?: number;
  readonly children: (data: Data) => ReactNode;
}) {
  const { query, what, rows, children } = view;
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading what={what} {...(rows === undefined ? {} : { rows })} />;
}
