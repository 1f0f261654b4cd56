import { type Static, Type } from 'typebox';
import {
  conditionsMax,
  PermissionNames,
  rulesMax,
  SessionRuleBody,
  toPermissions,
  toSessionRules,
} from '../../http/parameters/access-rule-schemas.ts';
import { sessionOrigins } from '../../core/identity/caller.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { orNull } from '../../http/parameters/optional-schemas.ts';
import { parseEnd, timestamp, toTimestamp } from '../../http/parameters/timestamp.ts';
import type { NewSession, SessionGrant } from './session-service.ts';

export const SessionView = Type.Object(
  {
    session_key: Type.String({ description: 'The key of the session. Keep it where the session was created.' }),
    nonce: Type.String({ description: 'A one-time code with which a server authorizes the session.' }),
    expires_at: timestamp('When the session ends, unless it is authorized for longer.'),
  },
  { description: 'A session that has no access yet.' },
);

export const AuthorizeSession = Type.Object(
  {
    nonce: Type.String({ minLength: 1, maxLength: 100, description: 'The nonce of the session.' }),
    permissions: orNull(PermissionNames),
    rules: orNull(
      Type.Array(SessionRuleBody, {
        maxItems: rulesMax,
        description: `Rights on single containers or tokens. All rules together have at most ${conditionsMax} conditions.`,
      }),
    ),
    expires_at: orNull(
      Type.String({
        maxLength: 50,
        description:
          'ISO 8601: when the session ends, at most 24 hours ahead; 3 minutes after its creation by default.',
      }),
    ),
    origin: orNull(
      Type.Enum([...sessionOrigins], {
        description:
          'Where the session must have been created. With `elements`, only a session that card fields have created is authorized; scripts of the page never have its key, and it works on the origin of the card fields only.',
      }),
    ),
  },
  { description: 'What a session may do: at least one permission or rule.' },
);

nameSchemas({ Session: SessionView, AuthorizeSessionRequest: AuthorizeSession });

export function toSessionView(session: NewSession): Static<typeof SessionView> {
  return { session_key: session.sessionKey, nonce: session.nonce, expires_at: toTimestamp(session.expiresAt) };
}

export function toSessionGrant(body: Static<typeof AuthorizeSession>): SessionGrant {
  return {
    nonce: body.nonce,
    permissions: toPermissions(body.permissions ?? [], 'permissions', 'private'),
    rules: toSessionRules(body.rules ?? [], 'rules'),
    expiresAt: typeof body.expires_at === 'string' ? parseEnd(body.expires_at) : undefined,
    origin: body.origin ?? undefined,
  };
}
