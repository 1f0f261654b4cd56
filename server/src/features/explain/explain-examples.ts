import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import { exampleEnd, exampleIds } from '../../http/routes/example-values.ts';

const missing: ApiExample = {
  summary: 'No such token',
  status: 404,
  problem: { code: 'not-found', detail: 'There is no such token.' },
};

const ways = (names: readonly string[], transform: string) => names.map((way) => ({ way, transform }));

const memberWays = [
  ...ways(['token:read', 'token:search'], 'mask'),
  ...ways(['handing-out-rights', 'making-members', 'approving-exports'], 'reveal'),
];

export const explainExamples = {
  explainAccess: [
    {
      summary: 'What an application can read of a token',
      status: 200,
      request: {
        body: { application_id: exampleIds.application, token_id: exampleIds.card, permission: 'token:read' },
      },
      response: {
        decisions: [
          {
            permission: 'token:read',
            is_allowed: true,
            transform: 'mask',
            is_plain_permission: false,
            rule: {
              description: 'Show masked cards',
              priority: 1,
              container: '/pci/',
              transform: 'mask',
              permissions: ['token:read', 'token:search'],
            },
            sees: {
              data: 'masked',
              mask: '{"number":"{{ data.number | reveal_last: 4 }}","expiration_month":"{{ data.expiration_month }}","expiration_year":"{{ data.expiration_year }}"}',
            },
          },
        ],
      },
    },
    {
      summary: 'What a draft of rules would allow',
      status: 200,
      request: {
        body: {
          rules: [{ priority: 1, container: '/pci/', transform: 'reveal', permissions: ['token:read'] }],
          container: '/bank/',
          permission: 'token:read',
        },
      },
      response: { decisions: [{ permission: 'token:read', is_allowed: false, reason: 'no-rule-covers-target' }] },
    },
    {
      summary: 'Both a token and a container',
      status: 400,
      request: { body: { application_id: exampleIds.application, token_id: exampleIds.card, container: '/pci/' } },
      problem: invalid({ token_id: ['exactly one of token_id and container is required'] }),
    },
    { ...missing, request: { body: { application_id: exampleIds.application, token_id: exampleIds.nobody } } },
  ],
  findOnlookers: [
    {
      summary: 'Who can see a card',
      status: 200,
      request: { body: { token_id: exampleIds.card } },
      response: {
        applications: [
          {
            id: exampleIds.application,
            name: 'Checkout',
            type: 'private',
            transform: 'mask',
            ways: ways(['token:read', 'token:search'], 'mask'),
          },
          {
            id: exampleIds.manager,
            name: 'management',
            type: 'management',
            transform: 'reveal',
            ways: ways(['handing-out-rights', 'making-members'], 'reveal'),
          },
          {
            id: exampleIds.caller,
            name: 'private',
            type: 'private',
            transform: 'reveal',
            ways: [
              ...ways(['token:read', 'token:search', 'token:update'], 'mask'),
              ...ways(['token:use', 'authoring-views'], 'reveal'),
            ],
          },
          {
            id: exampleIds.revealing,
            name: 'reveal',
            type: 'private',
            transform: 'reveal',
            ways: ways(['token:read', 'token:search', 'token:update', 'token:use', 'authoring-views'], 'reveal'),
          },
        ],
        members: [
          {
            id: exampleIds.owner,
            user_id: exampleIds.ownerUser,
            role: 'OWNER',
            transform: 'reveal',
            ways: memberWays,
          },
          {
            id: exampleIds.member,
            user_id: exampleIds.user,
            role: 'ADMIN',
            transform: 'reveal',
            ways: memberWays,
          },
        ],
        invitations: [
          {
            id: exampleIds.invitation,
            role: 'ADMIN',
            expires_at: exampleEnd,
            transform: 'reveal',
            ways: ways(['accepting-an-invitation'], 'reveal'),
          },
        ],
        sessions: [],
      },
    },
    {
      summary: 'Neither a token nor a container',
      status: 400,
      request: { body: {} },
      problem: invalid({ token_id: ['exactly one of token_id and container is required'] }),
    },
    { ...missing, request: { body: { token_id: exampleIds.nobody } } },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
