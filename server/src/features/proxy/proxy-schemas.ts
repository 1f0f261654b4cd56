import type { Problem } from '../../http/problem.ts';

const problemField = 'proxy_error';

/** The error format of the proxy, for the config of its routes: published clients expect it. */
export const proxyProblemForm = {
  problemField,
  presentProblem: (problem: Problem) => ({ [problemField]: inProxyWords(problem) }),
} as const;

function inProxyWords(problem: Problem): Problem {
  if (problem.status === 400) return { ...problem, title: 'Invalid proxy request' };
  if (problem.status !== 401) return problem;
  return { ...problem, title: 'Unauthorized proxy request', detail: 'The BT-API-KEY header is required' };
}
