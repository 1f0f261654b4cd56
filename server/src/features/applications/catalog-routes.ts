import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { applicationTypes, permissionCatalog, permissionsOf } from '../../core/access/permission.ts';
import { DomainError } from '../../core/errors/domain-error.ts';
import { AccessRuleView } from '../../http/access-rule-schemas.ts';
import { IdParameter } from '../../http/uuid-parameter.ts';
import { nameSchemas } from '../../http/api-components.ts';
import { NoParameters, queryParameters } from '../../http/query-parameters.ts';

const PermissionView = Type.Object({
  type: Type.String(),
  description: Type.String(),
  application_types: Type.Array(Type.String()),
});
const PermissionQuery = queryParameters({ application_type: Type.Optional(Type.Enum([...applicationTypes])) });
const RoleView = Type.Object({ name: Type.String() });
const TemplateView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  application_type: Type.String(),
  template_type: Type.String(),
  is_starter: Type.Boolean(),
  permissions: Type.Array(Type.String()),
  rules: Type.Array(AccessRuleView),
});

nameSchemas({ Permission: PermissionView, Role: RoleView, ApplicationTemplate: TemplateView });

/** The fixed lists that clients and the portal choose from. */
export function addCatalogRoutes(app: FastifyInstance): void {
  app.get<{ Querystring: Static<typeof PermissionQuery> }>(
    '/permissions',
    {
      config: { permission: 'any-key' },
      schema: {
        operationId: 'listPermissions',
        tags: ['Permissions'],
        querystring: PermissionQuery,
        response: { 200: Type.Array(PermissionView) },
      },
    },
    async (request) => {
      const wanted = request.query.application_type;
      const offered = new Set(wanted === undefined ? undefined : permissionsOf(wanted));
      return permissionCatalog
        .filter(({ type }) => wanted === undefined || offered.has(type))
        .map(({ type, description, applicationTypes }) => ({
          type,
          description,
          application_types: [...applicationTypes],
        }));
    },
  );

  app.get(
    '/roles',
    {
      config: { permission: 'any-key' },
      schema: {
        operationId: 'listRoles',
        tags: ['Roles'],
        querystring: NoParameters,
        response: { 200: Type.Array(RoleView) },
      },
    },
    async () => [{ name: 'OWNER' }, { name: 'ADMIN' }, { name: 'READ_ONLY' }],
  );

  app.get(
    '/application-templates',
    {
      config: { permission: 'any-key' },
      schema: {
        operationId: 'listApplicationTemplates',
        tags: ['Applications'],
        querystring: NoParameters,
        response: { 200: Type.Array(TemplateView) },
      },
    },
    async () => templates,
  );

  app.get<{ Params: Static<typeof IdParameter> }>(
    '/application-templates/:id',
    {
      config: { permission: 'any-key' },
      schema: {
        operationId: 'getApplicationTemplate',
        tags: ['Applications'],
        params: IdParameter,
        response: { 200: TemplateView },
      },
    },
    async (request) => {
      const template = templates.find(({ id }) => id === request.params.id.toLowerCase());
      if (template === undefined) throw new DomainError('not-found', 'There is no such application template.');
      return template;
    },
  );
}

/** Starting points for an application; the ids are ours and never change. */
const templates: Static<typeof TemplateView>[] = [
  {
    id: '5f0f3c67-6b8e-4a3c-9a57-0f7d8f3e1a01',
    name: 'Collect in the browser',
    description: 'Creates tokens from a web page; sees only masked data.',
    application_type: 'public',
    template_type: 'official',
    is_starter: true,
    permissions: ['token:create'],
    rules: [],
  },
  {
    id: '5f0f3c67-6b8e-4a3c-9a57-0f7d8f3e1a02',
    name: 'Use without reading',
    description:
      'Sends plaintext to other services through the proxy, but reads only masked data. Cannot create tokens, because comparing fingerprints would let it guess masked values.',
    application_type: 'private',
    template_type: 'official',
    is_starter: true,
    permissions: ['token:read', 'token:search', 'token:use'],
    rules: [],
  },
  {
    id: '5f0f3c67-6b8e-4a3c-9a57-0f7d8f3e1a03',
    name: 'Manage the tenant',
    description:
      'Creates applications, invites members and reads the audit log. Has no access to tokens itself, but can create applications with any permission, including reading plaintext, unless it has a grant_limit; members that it invites can approve exports.',
    application_type: 'management',
    template_type: 'official',
    is_starter: true,
    permissions: permissionsOf('management'),
    rules: [],
  },
];
