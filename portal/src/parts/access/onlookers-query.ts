import { useInfiniteQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '../../api/client';
import { useNames } from '../../api/names';
import type { Target } from './explain';
import { toOnlookers } from './onlooker-rows';
import { transforms } from './rights';

/** Loads everybody who can see a token, or any token in a container. Those who see the most come first. */
export function useOnlookers(target: Target) {
  const names = useNames();
  const found = useInfiniteQuery({
    queryKey: ['who', target],
    queryFn: ({ pageParam }) => findOnlookers(target, pageParam),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
  const rows = (found.data?.pages ?? [])
    .flatMap((part) => toOnlookers(part, names))
    .toSorted((a, b) => transforms.indexOf(b.transform) - transforms.indexOf(a.transform));
  return { found, rows };
}

function findOnlookers(target: Target, start: string): Promise<Schemas['Onlookers']> {
  const about = 'token' in target ? { token_id: target.token } : { container: target.container };
  return unwrap(api.POST('/access/who', { body: { ...about, ...(start === '' ? {} : { start }) } }));
}
