import type { FuzzedRequest } from './request-maker.ts';

export interface FuzzedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Returns a description of the fault in a response, or undefined if it has none. */
export function findFault(request: FuzzedRequest, answer: FuzzedAnswer): string | undefined {
  const { operation } = request;
  const { status } = answer;
  if (status >= 500 || status < 200) return 'the server failed';
  if (answer.headers['bt-trace-id'] === undefined) return 'there is no trace id';
  if (status < 300 && !request.hasKey) return 'it was accepted without a key';
  const isRouted = status !== 404 && status !== 405;
  const expected = operation.answerOf(status);
  if (expected === undefined) return isRouted ? 'the description knows no such answer' : undefined;
  if (expected === 'empty') return answer.text === '' ? undefined : 'there is a body where none belongs';
  // Anything other than JSON is described as text.
  const body = isJson(answer) ? parse(answer.text) : answer.text;
  // A path that cannot be decoded reaches no route, so the response does not belong to the operation.
  if (!isRouted && isUnroutedProblem(body)) return undefined;
  if (!expected(body)) return 'the answer does not fit its schema';
  if (status < 300) return findWrongAcceptance(request);
  const { proxy_error: wrapped = body } = body as { proxy_error?: unknown };
  const { status: told, instance, trace_id } = wrapped as { status: number; instance: string; trace_id: string };
  if (told !== status) return 'the problem names another status';
  if (trace_id !== answer.headers['bt-trace-id']) return 'the problem has another trace id';
  return instance.includes('{{') ? 'the problem repeats what was sent' : undefined;
}

function isJson({ headers }: FuzzedAnswer): boolean {
  return /^application\/(problem\+)?json\b/.test(String(headers['content-type']));
}

function isUnroutedProblem(body: unknown): boolean {
  const { type, instance } = (body ?? {}) as { type?: unknown; instance?: unknown };
  const isUnrouted = type === '/docs/errors/not-found' || type === '/docs/errors/method-not-allowed';
  return isUnrouted && instance === 'unknown';
}

/** Returns a description if something was accepted that the API description forbids. */
function findWrongAcceptance({ operation, path, body }: FuzzedRequest): string | undefined {
  const { searchParams } = new URL(path, 'http://localhost');
  const query: Record<string, string | string[]> = {};
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name);
    query[name] = values.length === 1 ? (values[0] ?? '') : values;
  }
  if (!operation.isValidQuery(query)) return 'a query was accepted that does not fit its schema';
  if (operation.body === undefined) return undefined;
  const isValid = operation.isValidBody(parse((body ?? Buffer.alloc(0)).toString('utf8')));
  return isValid ? undefined : 'a body was accepted that does not fit its schema';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
