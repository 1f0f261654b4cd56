import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import {
  exampleApproval,
  exampleIds,
  exampleLaterTime,
  exampleSecrets,
  exampleTime,
} from '../../http/routes/example-values.ts';

const missing = {
  summary: 'No such application',
  status: 404,
  request: { path: { id: exampleIds.nobody } },
  problem: { code: 'not-found', detail: 'There is no such application.' },
} as const;
const settings = {
  name: 'Checkout',
  permissions: ['token:create'],
  rules: [
    {
      description: 'Show masked cards',
      priority: 1,
      container: '/pci/',
      transform: 'mask',
      permissions: ['token:read', 'token:search'],
    },
  ],
  allowed_destinations: ['api.provider.example'],
};

const made = { created_by: exampleIds.manager, created_at: exampleTime };
const keyView = { id: exampleIds.applicationKey, version: '1', ...made, last_used_at: null };
const view = {
  id: exampleIds.application,
  tenant_id: exampleIds.tenant,
  name: settings.name,
  type: 'private',
  keys: [keyView],
  permissions: settings.permissions,
  rules: settings.rules,
  ...made,
};

/** The rules of the example application in a tenant that requires approvals. */
const revealing = settings.rules.map((rule) => ({ ...rule, transform: 'reveal' }));

const webShop = {
  name: 'Web shop',
  type: 'public',
  permissions: ['token:create'],
  allowed_origins: ['https://shop.example'],
};

export const applicationExamples = {
  createApplication: [
    {
      summary: 'A private application',
      status: 201,
      request: { body: { type: 'private', ...settings } },
      response: {
        ...view,
        id: exampleIds.created,
        key: exampleSecrets.key,
        keys: [{ ...keyView, id: exampleIds.createdKey, key: exampleSecrets.key }],
        allowed_destinations: settings.allowed_destinations,
      },
    },
    {
      summary: 'A public application for the pages of a shop',
      status: 201,
      request: { body: webShop },
      response: {
        id: exampleIds.webShop,
        tenant_id: exampleIds.tenant,
        key: exampleSecrets.publicKey,
        keys: [{ ...keyView, id: exampleIds.webShopKey, key: exampleSecrets.publicKey }],
        rules: [],
        ...webShop,
        ...made,
      },
    },
    {
      summary: 'An application that reveals, in a tenant that demands approvals',
      status: 202,
      given: 'approvals',
      description: 'It has no rights until it is approved, and its key is refused.',
      request: { body: { name: 'Payouts', type: 'private', rules: revealing } },
      response: {
        ...view,
        id: exampleIds.created,
        name: 'Payouts',
        key: exampleSecrets.key,
        keys: [{ ...keyView, id: exampleIds.createdKey, key: exampleSecrets.key }],
        permissions: [],
        rules: revealing,
        approval: exampleApproval,
      },
    },
    {
      summary: 'A permission that a public application cannot have',
      status: 400,
      request: { body: { name: 'Web shop', type: 'public', permissions: ['token:read'] } },
      problem: invalid({
        permissions: [
          'must be permissions that a public application can hold: token:create, token:update, token-intent:create',
        ],
      }),
    },
  ],
  listApplications: [
    {
      summary: 'An application by its id',
      status: 200,
      request: { query: { id: exampleIds.application } },
      response: {
        pagination: { total_items: 1, page_number: 1, page_size: 20, total_pages: 1 },
        data: [view],
      },
    },
    {
      summary: 'An unknown parameter',
      status: 400,
      request: { query: { name: 'Checkout' } },
      problem: invalid({ querystring: ['has an unknown parameter; known parameters are page, size, id, type'] }),
    },
  ],
  getApplicationByKey: [
    {
      summary: 'The application of a private key',
      status: 200,
      key: 'private',
      response: {
        id: exampleIds.caller,
        tenant_id: exampleIds.tenant,
        name: 'private',
        type: 'private',
        keys: [{ id: exampleIds.callerKey, version: '1', created_at: exampleTime, last_used_at: exampleTime }],
        permissions: [
          'token:create',
          'token:read',
          'token:update',
          'token:delete',
          'token:search',
          'token:use',
          'token-intent:create',
          'token-intent:read',
          'token-intent:delete',
        ],
        rules: [],
        created_at: exampleTime,
      },
    },
    {
      summary: 'The application was deleted in the meantime',
      status: 404,
      key: 'private',
      given: 'deleted-tenant',
      problem: missing.problem,
    },
  ],
  getApplication: [
    {
      summary: 'A private application',
      status: 200,
      request: { path: { id: exampleIds.application } },
      response: view,
    },
    missing,
  ],
  updateApplication: [
    {
      summary: 'Add a permission',
      status: 200,
      request: {
        path: { id: exampleIds.application },
        body: { ...settings, permissions: ['token:create', 'token:use'] },
      },
      response: {
        ...view,
        permissions: ['token:create', 'token:use'],
        allowed_destinations: settings.allowed_destinations,
        modified_by: exampleIds.manager,
        modified_at: exampleLaterTime,
      },
    },
    {
      summary: 'Another container, in a tenant that demands approvals',
      status: 202,
      given: 'approvals',
      description: 'What was in force stays so until the change is approved.',
      request: {
        path: { id: exampleIds.application },
        body: { name: settings.name, rules: [{ ...revealing[0], container: '/bank/' }] },
      },
      response: { ...view, rules: revealing, approval: exampleApproval },
    },
    {
      summary: 'Two rules with one priority',
      status: 400,
      request: {
        path: { id: exampleIds.application },
        body: {
          name: 'Checkout',
          rules: [
            { priority: 1, container: '/pci/', transform: 'mask', permissions: ['token:read'] },
            { priority: 1, container: '/bank/', transform: 'mask', permissions: ['token:read'] },
          ],
        },
      },
      problem: invalid({ 'rules.1.priority': ['must be unique among the rules'] }),
    },
    { ...missing, request: { ...missing.request, body: settings } },
  ],
  deleteApplication: [
    { summary: 'Delete an application', status: 204, request: { path: { id: exampleIds.application } } },
    missing,
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
