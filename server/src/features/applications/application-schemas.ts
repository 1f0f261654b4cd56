import { type Static, Type } from 'typebox';
import { type ApplicationType, applicationTypes } from '../../core/access/permission.ts';
import {
  AccessRuleBody,
  AccessRuleView,
  PermissionNames,
  rulesMax,
  toAccessRule,
  toAccessRuleView,
  toPermissions,
} from '../../http/parameters/access-rule-schemas.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { orNull } from '../../http/parameters/optional-schemas.ts';
import { pageOf } from '../../http/parameters/pagination.ts';
import { plainText } from '../../http/parameters/text-schemas.ts';
import { changeFields, parseEnd, timestamp, toChangeFields, toTimestamp } from '../../http/parameters/timestamp.ts';
import { type ApprovalRequest, ApprovalView, toApprovalField } from '../approvals/index.ts';
import type { ApplicationKey, ApplicationSettings, NewApplicationKey } from './application.ts';
import { type ApplicationWithKeys, findApproval, type NewApplication } from './application-service.ts';
import { AllowedDestinations, AllowedOrigins, toDestinationEntry, toOriginEntry } from './allowed-list-schemas.ts';
import { GrantLimitBody, GrantLimitView, toGrantLimit, toGrantLimitView } from './grant-limit-schema.ts';

const idText = 'Id of the application.';
const typeText = 'Decides which permissions the application can have. It cannot be changed.';

const settings = {
  name: plainText({ minLength: 1, maxLength: 200, description: 'A name for people to recognize it by.' }),
  permissions: orNull(PermissionNames),
  rules: orNull(
    Type.Array(AccessRuleBody, {
      maxItems: rulesMax,
      description: 'Rights on single containers, each with a transform.',
    }),
  ),
  expires_at: orNull(
    Type.String({
      maxLength: 50,
      description: 'When the application expires (ISO 8601). From then on, its keys are refused.',
    }),
  ),
  allowed_destinations: orNull(AllowedDestinations),
  allowed_origins: orNull(AllowedOrigins),
  grant_limit: Type.Optional(Type.Union([GrantLimitBody, Type.Null()])),
};

export const UpdateApplication = Type.Object(settings, {
  description: 'The new settings of an application. Omitted settings are removed, except for the grant limit.',
});
export const CreateApplication = Type.Object(
  {
    ...settings,
    type: Type.Enum([...applicationTypes], { description: typeText }),
    create_key: orNull(
      Type.Boolean({ description: 'Whether to create a key with the application. The default is true.' }),
    ),
  },
  {
    description: 'An application to create. Private and management applications need at least one permission or rule.',
  },
);

export const ApplicationKeyView = Type.Object(
  {
    id: Type.String({ description: 'Id of the key, which is not secret.' }),
    key: Type.Optional(Type.String({ description: 'The secret. Returned only when the key is created.' })),
    version: Type.String({ description: 'The version of the key format.' }),
    created_by: Type.Optional(Type.String({ description: 'Id of the application that created it.' })),
    created_at: timestamp('When it was created.'),
    last_used_at: Type.Union([
      timestamp('When the key was last used, accurate to ten seconds. Null if it was never used.'),
      Type.Null(),
    ]),
    approval: Type.Optional(ApprovalView),
  },
  { description: 'A key of an application, for the `BT-API-KEY` header.' },
);
nameSchemas({ ApplicationKey: ApplicationKeyView });

export const ApplicationView = Type.Object(
  {
    id: Type.String({ description: idText }),
    tenant_id: Type.String({ description: 'Id of the tenant.' }),
    name: Type.String({ description: 'A name for people to recognize it by.' }),
    key: Type.Optional(Type.String({ description: 'The secret. Returned only when the application is created.' })),
    keys: Type.Array(ApplicationKeyView, { description: 'All keys of the application.' }),
    type: Type.Enum([...applicationTypes], { description: typeText }),
    permissions: Type.Array(Type.String(), { description: 'Permissions on all containers.' }),
    rules: Type.Array(AccessRuleView, { description: 'Rights on single containers.' }),
    expires_at: Type.Optional(timestamp('When the application expires. From then on, its keys are refused.')),
    allowed_destinations: Type.Optional(
      Type.Array(Type.String(), { description: 'Hosts that the proxy may call for this application.' }),
    ),
    allowed_origins: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Origins of the pages that may use the keys of this public application.',
      }),
    ),
    grant_limit: Type.Optional(GrantLimitView),
    approval: Type.Optional(ApprovalView),
    ...changeFields,
  },
  { description: 'A client of the API and what it may do.' },
);

export const ApplicationPage = pageOf(ApplicationView);

nameSchemas({
  CreateApplicationRequest: CreateApplication,
  UpdateApplicationRequest: UpdateApplication,
  Application: ApplicationView,
  ApplicationPage,
});

/**
 * Converts a request body. The type is known only if the application is being created. For an update, it is looked up
 * later.
 */
export function toApplicationSettings(
  body: Static<typeof UpdateApplication>,
  type?: ApplicationType,
): ApplicationSettings {
  const expiresAt = body.expires_at ?? undefined;
  return {
    name: body.name,
    permissions: toPermissions(body.permissions ?? [], 'permissions', type),
    rules: (body.rules ?? []).map((rule, index) => toAccessRule(rule, `rules.${index}`, type)),
    expiresAt: expiresAt === undefined ? null : parseEnd(expiresAt),
    allowedDestinations: body.allowed_destinations?.map(toDestinationEntry) ?? null,
    allowedOrigins: body.allowed_origins?.map(toOriginEntry) ?? null,
    grantLimit: body.grant_limit ? toGrantLimit(body.grant_limit) : undefined,
  };
}

export function toNewApplication(body: Static<typeof CreateApplication>): NewApplication {
  return { ...toApplicationSettings(body, body.type), type: body.type, createKey: body.create_key ?? true };
}

export function toApplicationView({
  application,
  keys,
  approvals,
}: ApplicationWithKeys): Static<typeof ApplicationView> {
  const views = keys.map((key) => toApplicationKeyView(key, findApproval(approvals, key.id)));
  const secret = views.find(({ key }) => key !== undefined)?.key;
  return {
    id: application.id,
    tenant_id: application.tenantId,
    name: application.name,
    ...(secret === undefined ? {} : { key: secret }),
    keys: views,
    type: application.type,
    permissions: [...application.permissions],
    rules: application.rules.map(toAccessRuleView),
    ...(application.expiresAt === null ? {} : { expires_at: toTimestamp(application.expiresAt) }),
    ...(application.allowedDestinations === null ? {} : { allowed_destinations: [...application.allowedDestinations] }),
    ...(application.allowedOrigins === null ? {} : { allowed_origins: [...application.allowedOrigins] }),
    ...(application.grantLimit === null ? {} : { grant_limit: toGrantLimitView(application.grantLimit) }),
    ...toApprovalField(findApproval(approvals, application.id)),
    ...toChangeFields(application),
  };
}

export function toApplicationKeyView(
  key: ApplicationKey | NewApplicationKey,
  approval?: ApprovalRequest,
): Static<typeof ApplicationKeyView> {
  return {
    id: key.id,
    ...('text' in key ? { key: key.text } : {}),
    version: String(key.version),
    ...(key.createdBy === null ? {} : { created_by: key.createdBy }),
    created_at: toTimestamp(key.createdAt),
    last_used_at: key.lastUsedAt === null ? null : toTimestamp(key.lastUsedAt),
    ...toApprovalField(approval),
  };
}
