import { type Problem, problemType } from '../../http/problems/problem.ts';

const problemField = 'proxy_error';

/** The error format of the proxy, for the config of its routes. Published clients expect it. */
export const proxyProblemForm = {
  problemField,
  presentProblem: (problem: Problem) => ({ [problemField]: inProxyWords(problem) }),
} as const;

function inProxyWords(problem: Problem): Problem {
  if (problem.status === 400) return { ...problem, title: 'Invalid proxy request' };
  if (problem.status !== 401) return problem;
  const title = 'Unauthorized proxy request';
  // The key of a deleted tenant is recognized, so the response says what to do.
  if (problem.type === problemType('tenant-deleted')) return { ...problem, title };
  return { ...problem, title, detail: 'The BT-API-KEY header is required' };
}
