import type { Problem } from '../../http/problem.ts';

const problemField = 'proxy_error';

/** The form of failures of the proxy itself, for the config of its routes: published clients look for it. */
export const proxyProblemForm = {
  problemField,
  presentProblem: (problem: Problem) => ({ [problemField]: inProxyWords(problem) }),
} as const;

function inProxyWords(problem: Problem): Problem {
  if (problem.status === 400) return { ...problem, title: 'Invalid proxy request' };
  if (problem.status !== 401) return problem;
  return { ...problem, title: 'Unauthorized proxy request', detail: 'The BT-API-KEY header is required' };
}
