import { type Static, Type } from 'typebox';
import { applicationTypes } from '../../core/access/permission.ts';
import { parseDestinationEntry } from '../../core/destinations/destination-list.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import {
  AccessRuleBody,
  AccessRuleView,
  PermissionName,
  rulesMax,
  toAccessRule,
  toAccessRuleView,
} from '../../http/access-rule-schemas.ts';
import { PaginationView } from '../../http/pagination.ts';
import { plainText } from '../../http/text-schemas.ts';
import { changeFields, parseEnd, Timestamp, toChangeFields, toTimestamp } from '../../http/timestamp.ts';
import type { ApplicationKey, ApplicationSettings, NewApplicationKey } from './application.ts';
import type { ApplicationWithKeys, NewApplication } from './application-service.ts';

const destinationsMax = 100;

const settings = {
  name: plainText({ minLength: 1, maxLength: 200 }),
  permissions: Type.Optional(Type.Array(PermissionName, { maxItems: 50 })),
  rules: Type.Optional(Type.Array(AccessRuleBody, { maxItems: rulesMax })),
  expires_at: Type.Optional(Type.String({ maxLength: 50 })),
  allowed_destinations: Type.Optional(
    Type.Union([Type.Array(Type.String({ maxLength: 255 }), { maxItems: destinationsMax }), Type.Null()], {
      description:
        'Hosts that the proxy may call for this application: exact names, or *.example.com for one label before it. Without a list any public host may be called; an empty list allows none.',
    }),
  ),
};

export const UpdateApplication = Type.Object(settings);
export const CreateApplication = Type.Object({
  ...settings,
  type: Type.Enum([...applicationTypes]),
  create_key: Type.Optional(Type.Boolean()),
});

export const ApplicationKeyView = Type.Object({
  id: Type.String(),
  key: Type.Optional(Type.String({ description: 'The secret, in the answer that creates the key and never again.' })),
  version: Type.String(),
  created_by: Type.Optional(Type.String()),
  created_at: Timestamp,
});

export const ApplicationView = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  name: Type.String(),
  key: Type.Optional(
    Type.String({ description: 'The secret, in the answer that creates the application and never again.' }),
  ),
  keys: Type.Array(ApplicationKeyView),
  type: Type.Enum([...applicationTypes]),
  permissions: Type.Array(Type.String()),
  rules: Type.Array(AccessRuleView),
  expires_at: Type.Optional(Timestamp),
  allowed_destinations: Type.Optional(Type.Array(Type.String())),
  ...changeFields,
});

export const ApplicationPage = Type.Object({ pagination: PaginationView, data: Type.Array(ApplicationView) });

export function toApplicationSettings(body: Static<typeof UpdateApplication>): ApplicationSettings {
  return {
    name: body.name,
    permissions: [...new Set(body.permissions ?? [])],
    rules: (body.rules ?? []).map((rule, index) => toAccessRule(rule, `rules.${index}`)),
    expiresAt: body.expires_at === undefined ? null : parseEnd(body.expires_at),
    allowedDestinations: body.allowed_destinations?.map(toDestinationEntry) ?? null,
  };
}

function toDestinationEntry(text: string, index: number): string {
  const entry = parseDestinationEntry(text);
  if (entry !== undefined) return entry;
  throw invalidField(`allowed_destinations.${index}`, 'must be a host name, or *. and a host name');
}

export function toNewApplication(body: Static<typeof CreateApplication>): NewApplication {
  return { ...toApplicationSettings(body), type: body.type, createKey: body.create_key ?? true };
}

export function toApplicationView({ application, keys }: ApplicationWithKeys): Static<typeof ApplicationView> {
  const secret = keys.map(toApplicationKeyView).find(({ key }) => key !== undefined)?.key;
  return {
    id: application.id,
    tenant_id: application.tenantId,
    name: application.name,
    ...(secret === undefined ? {} : { key: secret }),
    keys: keys.map(toApplicationKeyView),
    type: application.type,
    permissions: [...application.permissions],
    rules: application.rules.map(toAccessRuleView),
    ...(application.expiresAt === null ? {} : { expires_at: toTimestamp(application.expiresAt) }),
    ...(application.allowedDestinations === null ? {} : { allowed_destinations: [...application.allowedDestinations] }),
    ...toChangeFields(application),
  };
}

/** The secret of a key is shown once and stored as a hash only, so whatever is kept of a view does without it. */
export function withoutSecret<View extends { key?: string }>(view: View): Omit<View, 'key'> {
  const { key: _, ...rest } = view;
  return rest;
}

export function toApplicationKeyView(key: ApplicationKey | NewApplicationKey): Static<typeof ApplicationKeyView> {
  return {
    id: key.id,
    ...('text' in key ? { key: key.text } : {}),
    version: String(key.version),
    ...(key.createdBy === null ? {} : { created_by: key.createdBy }),
    created_at: toTimestamp(key.createdAt),
  };
}
