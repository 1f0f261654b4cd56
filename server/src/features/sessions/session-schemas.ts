import { type Static, Type } from 'typebox';
import {
  PermissionNames,
  rulesMax,
  SessionRuleBody,
  toPermissions,
  toSessionRule,
} from '../../http/access-rule-schemas.ts';
import { nameSchemas } from '../../http/api-components.ts';
import { orNull } from '../../http/optional-schemas.ts';
import { parseEnd, Timestamp, toTimestamp } from '../../http/timestamp.ts';
import type { NewSession, SessionGrant } from './session-service.ts';

export const SessionView = Type.Object({ session_key: Type.String(), nonce: Type.String(), expires_at: Timestamp });

export const AuthorizeSession = Type.Object({
  nonce: Type.String({ minLength: 1, maxLength: 100 }),
  permissions: orNull(PermissionNames),
  rules: orNull(Type.Array(SessionRuleBody, { maxItems: rulesMax })),
  expires_at: orNull(Type.String({ maxLength: 50 })),
});

nameSchemas({ Session: SessionView, AuthorizeSessionRequest: AuthorizeSession });

export function toSessionView(session: NewSession): Static<typeof SessionView> {
  return { session_key: session.sessionKey, nonce: session.nonce, expires_at: toTimestamp(session.expiresAt) };
}

export function toSessionGrant(body: Static<typeof AuthorizeSession>): SessionGrant {
  return {
    nonce: body.nonce,
    permissions: toPermissions(body.permissions ?? [], 'permissions', 'private'),
    rules: (body.rules ?? []).map((rule, index) => toSessionRule(rule, `rules.${index}`)),
    expiresAt: typeof body.expires_at === 'string' ? parseEnd(body.expires_at) : undefined,
  };
}
