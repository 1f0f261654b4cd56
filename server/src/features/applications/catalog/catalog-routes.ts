import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { applicationTypes, permissionCatalog, permissionsOf } from '../../../core/access/permission.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { AccessRuleView } from '../../../http/parameters/access-rule-schemas.ts';
import { type IdParameter, idParameter } from '../../../http/parameters/uuid-parameter.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { NoParameters, queryParameters } from '../../../http/parameters/query-parameters.ts';
import { catalogExamples } from './catalog-examples.ts';

const TemplateParameter = idParameter('Id of the template.');

const PermissionView = Type.Object(
  {
    type: Type.String({ description: 'The name of the permission.' }),
    description: Type.String({ description: 'What it allows.' }),
    application_types: Type.Array(Type.String(), { description: 'Types of application that can have it.' }),
  },
  { description: 'A permission that an application can have.' },
);
const PermissionQuery = queryParameters({
  application_type: Type.Optional(
    Type.Enum([...applicationTypes], {
      description: 'Returns only permissions that this type of application can have.',
    }),
  ),
});
const RoleView = Type.Object(
  { name: Type.String({ description: 'The name of the role.' }) },
  { description: 'A role of a member.' },
);
const TemplateView = Type.Object(
  {
    id: Type.String({ description: 'Id of the template, which never changes.' }),
    name: Type.String({ description: 'The purpose of the template, in a few words.' }),
    description: Type.String({ description: 'What an application made from it can and cannot do.' }),
    application_type: Type.String({ description: 'The type of the application.' }),
    template_type: Type.String({ description: '`official`: part of the product.' }),
    is_starter: Type.Boolean({ description: 'Whether it is meant for beginners.' }),
    permissions: Type.Array(Type.String(), { description: 'The permissions of the application.' }),
    rules: Type.Array(AccessRuleView, { description: 'The rules of the application.' }),
  },
  { description: 'A starting point for an application.' },
);

nameSchemas({ Permission: PermissionView, Role: RoleView, ApplicationTemplate: TemplateView });

/** Adds routes for the fixed lists that clients and the portal choose from. */
export function addCatalogRoutes(app: FastifyInstance): void {
  app.get<{ Querystring: Static<typeof PermissionQuery> }>(
    '/permissions',
    {
      config: { permission: 'any-key', examples: catalogExamples.listPermissions },
      schema: {
        operationId: 'listPermissions',
        summary: 'List permissions',
        description: 'Returns every permission, what it allows, and the types of application that can have it.',
        tags: ['Permissions and roles'],
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
      config: { permission: 'any-key', examples: catalogExamples.listRoles },
      schema: {
        operationId: 'listRoles',
        summary: 'List roles',
        description: 'Returns the roles that members can have.',
        tags: ['Permissions and roles'],
        querystring: NoParameters,
        response: { 200: Type.Array(RoleView) },
      },
    },
    async () => [{ name: 'OWNER' }, { name: 'ADMIN' }, { name: 'READ_ONLY' }],
  );

  app.get(
    '/application-templates',
    {
      config: { permission: 'any-key', examples: catalogExamples.listApplicationTemplates },
      schema: {
        operationId: 'listApplicationTemplates',
        summary: 'List application templates',
        description: 'Returns starting points for new applications.',
        tags: ['Applications'],
        querystring: NoParameters,
        response: { 200: Type.Array(TemplateView) },
      },
    },
    async () => templates,
  );

  app.get<{ Params: IdParameter }>(
    '/application-templates/:id',
    {
      config: { permission: 'any-key', examples: catalogExamples.getApplicationTemplate },
      schema: {
        operationId: 'getApplicationTemplate',
        summary: 'Get an application template',
        description: 'Returns a starting point for new applications.',
        tags: ['Applications'],
        params: TemplateParameter,
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

/** Starting points for an application. Their ids are specific to Strongroom and never change. */
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
