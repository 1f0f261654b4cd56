import { type Static, Type } from 'typebox';
import { invalidField } from '../../core/errors/domain-error.ts';
import { sessionOrigins } from '../../core/identity/caller.ts';
import { isUuid } from '../../core/identity/ids.ts';
import { SessionRuleView, toSessionRuleView } from '../../http/parameters/access-rule-schemas.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { cursorPageOf, pageParameters, parsePageRequest } from '../../http/parameters/pagination.ts';
import { queryParameters } from '../../http/parameters/query-parameters.ts';
import { timestamp, toTimestamp } from '../../http/parameters/timestamp.ts';
import type { ListedSession, SessionPage, SessionPlace, SessionSlice } from './listed-session-store.ts';

export const SessionQuery = queryParameters({
  authorized: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'True for sessions that have been authorized, false for those that have not. All sessions by default.',
    }),
  ),
  start: Type.Optional(Type.String({ maxLength: 100, description: 'The `next` of the previous page.' })),
  size: pageParameters.size,
});

const id = (description: string) => Type.String({ format: 'uuid', description });
const ListedSessionView = Type.Object(
  {
    id: id('Id of the session, which is not secret. The log names the session by it.'),
    tenant_id: id('Id of the tenant.'),
    application_id: id('Id of the public application whose key created the session.'),
    authorized_by: Type.Optional(id('Id of the application that authorized the session. Absent until then.')),
    authorized_by_key: Type.Optional(
      id(
        'Id of the key that authorized the session, which ends with it. Absent if a server of an earlier version did.',
      ),
    ),
    permissions: Type.Array(Type.String(), {
      description: 'Permissions of the session on all containers. A session never has more rights than its authorizer.',
    }),
    rules: Type.Array(SessionRuleView, { description: 'Rights of the session on single containers or tokens.' }),
    origin: Type.Optional(
      Type.Enum([...sessionOrigins], {
        description: 'The only origin that the session works on. Absent if it works anywhere.',
      }),
    ),
    created_at: timestamp('When the session was created.'),
    authorized_at: Type.Optional(timestamp('When the session was authorized. Absent until then.')),
    expires_at: timestamp('When the session ends. It ends early if one of the two applications expires.'),
  },
  { description: 'A session that has not ended, without its key.' },
);

export const SessionPageView = cursorPageOf(ListedSessionView, 'sessions');

nameSchemas({ ListedSession: ListedSessionView, SessionPage: SessionPageView });

/** `<milliseconds>.<id>` of the last session of a page. A cursor grants no access. */
const cursorPattern = /^(\d{1,15})\.([0-9a-f-]{36})$/;

export function toSessionSlice(query: Static<typeof SessionQuery>): SessionSlice {
  return {
    isAuthorized: query.authorized === undefined ? undefined : query.authorized === 'true',
    after: query.start === undefined ? undefined : parseCursor(query.start),
    size: parsePageRequest(query).size,
  };
}

export function toSessionPageView(
  tenantId: string,
  { items, next }: SessionPage,
  size: number,
): Static<typeof SessionPageView> {
  return {
    pagination: { page_size: size, ...(next === undefined ? {} : { next: toCursor(next) }) },
    data: items.map((session) => toListedSessionView(tenantId, session)),
  };
}

function toListedSessionView(tenantId: string, session: ListedSession): Static<typeof ListedSessionView> {
  const { authorizedBy, authorizedKey, authorizedAt, origin } = session;
  return {
    id: session.id,
    tenant_id: tenantId,
    application_id: session.applicationId,
    ...(authorizedBy === null ? {} : { authorized_by: authorizedBy }),
    ...(authorizedKey === null ? {} : { authorized_by_key: authorizedKey }),
    permissions: [...session.permissions],
    rules: session.rules.map(toSessionRuleView),
    ...(origin === null ? {} : { origin }),
    created_at: toTimestamp(session.createdAt),
    ...(authorizedAt === null ? {} : { authorized_at: toTimestamp(authorizedAt) }),
    expires_at: toTimestamp(session.expiresAt),
  };
}

function toCursor({ createdAt, id: sessionId }: SessionPlace): string {
  return `${createdAt.getTime()}.${sessionId}`;
}

function parseCursor(text: string): SessionPlace {
  const [, at, sessionId] = cursorPattern.exec(text) ?? [];
  if (at === undefined || sessionId === undefined || !isUuid(sessionId))
    throw invalidField('start', 'must be the `next` of an earlier page');
  return { createdAt: new Date(Number(at)), id: sessionId };
}
