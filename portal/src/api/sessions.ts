import { api, type Schemas, unwrap } from './client';

export type Session = Schemas['ListedSession'];

interface SessionPlace {
  readonly isAuthorized: boolean;
  readonly start: string | undefined;
}

export function listSessions({ isAuthorized, start }: SessionPlace): Promise<Schemas['SessionPage']> {
  const authorized = isAuthorized ? 'true' : 'false';
  const query = { authorized, ...(start === undefined ? {} : { start }) } as const;
  return unwrap(api.GET('/sessions', { params: { query } }));
}

export function endSession(id: string) {
  return unwrap(api.DELETE('/sessions/{id}', { params: { path: { id } } }));
}
