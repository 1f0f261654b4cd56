import type { Problem } from '../../http/problem.ts';

/** A failure of the proxy itself, in the words that published clients look for. */
export function toProxyProblem(problem: Problem): { readonly proxy_error: Problem } {
  if (problem.status === 400) return { proxy_error: { ...problem, title: 'Invalid proxy request' } };
  if (problem.status !== 401) return { proxy_error: problem };
  return {
    proxy_error: { ...problem, title: 'Unauthorized proxy request', detail: 'The BT-API-KEY header is required' },
  };
}
