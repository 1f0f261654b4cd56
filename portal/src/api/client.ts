import createClient from 'openapi-fetch';
import { idleSeconds } from './activity';
import { Problem } from './problem';
import type { components, paths } from './schema';
import { chosenTenant } from './tenant';
import { reach } from './unreachable';

export type Schemas = components['schemas'];

const base = '/portal/api';

/**
 * Builds the headers sent with every request: the tenant and the idle time. Without the idle time, background requests
 * would keep a session alive.
 */
function ownHeaders(): Record<string, string> {
  const tenant = chosenTenant();
  const idle = { 'strongroom-idle-seconds': String(idleSeconds()) };
  return tenant === undefined ? idle : { ...idle, 'strongroom-tenant': tenant };
}

/** The vault's API. Requests are made as the signed-in member. */
export const api = createClient<paths>({ baseUrl: base, fetch: (request) => reach(fetch(request)) });
api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(ownHeaders())) request.headers.set(name, value);
    return request;
  },
});

interface Outcome<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the data of a response, or throws a `Problem` if the request failed. */
export async function unwrap<Data>(call: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await call;
  if (!response.ok) throw refusal(response.status, error);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Absent only if the response type has no body.
  return data as Data;
}

/** Requests files and routes that are not in the public API description. */
export async function fetchPortal(path: string, method: 'GET' | 'POST' = 'GET', body?: object): Promise<Response> {
  const headers = { ...ownHeaders(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await reach(fetch(`${base}${path}`, sent));
  if (!response.ok) throw refusal(response.status, await response.json().catch(() => undefined));
  return response;
}

function refusal(status: number, body: unknown): Problem {
  // The session has ended. After signing in, the user returns to this page.
  if (status === 401)
    location.assign(`/portal/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  return new Problem(status, body);
}
