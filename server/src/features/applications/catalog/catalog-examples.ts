import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';
import { exampleIds } from '../../../http/routes/example-values.ts';

const unknownParameter: ApiExample = {
  summary: 'An unknown parameter',
  status: 400,
  request: { query: { size: '10' } },
  problem: invalid({ querystring: ['must be empty: this endpoint takes no parameters'] }),
};
const template = {
  id: '5f0f3c67-6b8e-4a3c-9a57-0f7d8f3e1a01',
  name: 'Collect in the browser',
  description: 'Creates tokens from a web page; sees only masked data.',
  application_type: 'public',
  template_type: 'official',
  is_starter: true,
  permissions: ['token:create'],
  rules: [],
};

export const catalogExamples = {
  listPermissions: [
    {
      summary: 'What a public application can have',
      status: 200,
      request: { query: { application_type: 'public' } },
      response: [
        {
          type: 'token:create',
          description: 'Create tokens',
          application_types: ['private', 'public'],
        },
        {
          type: 'token:update',
          description:
            'Update tokens. Granted to a private application without a rule, it amounts to reading plaintext, because the application can set masks',
          application_types: ['private', 'public'],
        },
        {
          type: 'token-intent:create',
          description: 'Create token intents',
          application_types: ['private', 'public'],
        },
      ],
    },
    {
      summary: 'An application type that does not exist',
      status: 400,
      request: { query: { application_type: 'secret' } },
      problem: invalid({ application_type: ['must be one of private, public, management'] }),
    },
  ],
  listRoles: [
    {
      summary: 'All roles',
      status: 200,
      response: [
        {
          name: 'OWNER',
        },
        {
          name: 'ADMIN',
        },
        {
          name: 'READ_ONLY',
        },
      ],
    },
    unknownParameter,
  ],
  listApplicationTemplates: [
    {
      summary: 'All templates',
      status: 200,
      response: [
        template,
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
          permissions: [
            'tenant:read',
            'tenant:update',
            'tenant:delete',
            'tenant:member:read',
            'tenant:member:update',
            'tenant:member:delete',
            'tenant:invitation:create',
            'tenant:invitation:read',
            'tenant:invitation:update',
            'tenant:invitation:delete',
            'application:create',
            'application:read',
            'application:update',
            'application:delete',
            'session:read',
            'session:delete',
            'keys:create',
            'keys:read',
            'keys:delete',
            'webhook:create',
            'webhook:read',
            'webhook:update',
            'webhook:delete',
            'proxy:create',
            'proxy:read',
            'proxy:update',
            'proxy:delete',
            'retention:read',
            'retention:update',
            'log:read',
            'report:read',
          ],
          rules: [],
        },
      ],
    },
    unknownParameter,
  ],
  getApplicationTemplate: [
    {
      summary: 'A template for web pages',
      status: 200,
      request: { path: { id: template.id } },
      response: template,
    },
    {
      summary: 'No such template',
      status: 404,
      request: { path: { id: exampleIds.nobody } },
      problem: { code: 'not-found', detail: 'There is no such application template.' },
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
