import type { ApiExample } from '../../http/routes/api-examples.ts';
import { exampleDestination, exampleIds } from '../../http/routes/example-values.ts';

const url = (path: string) => ({ 'bt-proxy-url': `${exampleDestination}${path}` });
const body = { number: `{{ ${exampleIds.card} | json: '$.number' }}`, amount: 1250 };

/** Returns the examples of a method. They are the same for all methods, except that a GET has no body. */
export function proxyExamples(method: string, path?: string): ApiExample[] {
  const rest = path === undefined ? {} : { path: { path } };
  const content = method === 'GET' ? {} : { body };
  return [
    {
      summary: 'The destination accepts',
      status: 200,
      request: { ...rest, headers: url('/v1/charges'), ...content },
      response: { id: 'ch_81', status: 'succeeded' },
    },
    {
      summary: 'The destination declines',
      status: 402,
      request: { ...rest, headers: url('/v1/declined'), ...content },
      response: { error: 'card_declined' },
    },
    {
      summary: 'A token that does not exist',
      status: 400,
      request: { ...rest, headers: { ...url('/v1/charges'), 'x-card': `{{ ${exampleIds.nobody} }}` } },
      problem: {
        code: 'validation-failed',
        detail: `Failed to detokenize some tokens: ${exampleIds.nobody}. Tokens were not found.`,
      },
    },
    {
      summary: 'A destination without https',
      status: 400,
      request: { ...rest, headers: { 'bt-proxy-url': 'http://api.provider.example' } },
      problem: { code: 'validation-failed', detail: 'The destination URL must begin with https://.' },
    },
    {
      summary: 'A destination on a private network',
      status: 403,
      request: { ...rest, headers: { 'bt-proxy-url': 'https://intranet.provider.example' } },
      problem: {
        code: 'destination-refused',
        detail: 'The destination does not lead to an address that may be called.',
      },
    },
    {
      summary: 'The name of the endpoint in another spelling',
      status: 404,
      request: { target: `/%70roxy${path === undefined ? '' : `/${path}`}`, headers: url('/v1/charges') },
      problem: { code: 'not-found', detail: 'This path is not part of the API.' },
    },
    {
      summary: 'The destination takes too long',
      status: 408,
      request: { ...rest, headers: url('/v1/slow') },
      problem: { code: 'destination-timeout', detail: 'The destination did not respond in time.' },
    },
    {
      summary: 'The destination breaks off',
      status: 502,
      request: { ...rest, headers: url('/v1/broken') },
      problem: {
        code: 'destination-failed',
        detail: 'The destination closed the connection before its response was complete.',
      },
    },
  ];
}
