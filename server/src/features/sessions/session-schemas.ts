import { type Static, Type } from 'typebox';
import { PermissionName, rulesMax, SessionRuleBody, toSessionRule } from '../../http/access-rule-schemas.ts';
import { parseEnd, Timestamp, toTimestamp } from '../../http/timestamp.ts';
import type { NewSession, SessionGrant } from './session-service.ts';

export const SessionView = Type.Object({ session_key: Type.String(), nonce: Type.String(), expires_at: Timestamp });

export const AuthorizeSession = Type.Object({
  nonce: Type.String({ minLength: 1, maxLength: 100 }),
  permissions: Type.Optional(Type.Union([Type.Array(PermissionName, { maxItems: 50 }), Type.Null()])),
  rules: Type.Optional(Type.Union([Type.Array(SessionRuleBody, { maxItems: rulesMax }), Type.Null()])),
  expires_at: Type.Optional(Type.Union([Type.String({ maxLength: 50 }), Type.Null()])),
});

export function toSessionView(session: NewSession): Static<typeof SessionView> {
  return { session_key: session.sessionKey, nonce: session.nonce, expires_at: toTimestamp(session.expiresAt) };
}

export function toSessionGrant(body: Static<typeof AuthorizeSession>): SessionGrant {
  return {
    nonce: body.nonce,
    permissions: [...new Set(body.permissions ?? [])],
    rules: (body.rules ?? []).map((rule, index) => toSessionRule(rule, `rules.${index}`)),
    expiresAt: typeof body.expires_at === 'string' ? parseEnd(body.expires_at) : undefined,
  };
}
