import { type ApiExample, invalid } from '../../../http/routes/api-examples.ts';
import { exampleIds, exampleTime } from '../../../http/routes/example-values.ts';

const invalidDate: ApiExample = {
  summary: 'Not a date',
  status: 400,
  request: { query: { start_date: 'yesterday' } },
  problem: invalid({ start_date: ['must be an ISO 8601 date or date-time'] }),
};
const created = { entity_id: exampleIds.card, operation: 'create' };

const record = {
  id: exampleIds.log,
  tenant_id: exampleIds.tenant,
  entity_type: 'card',
  entity_id: exampleIds.card,
  operation: 'create',
  outcome: 'success',
  message: 'Token created',
  actor_id: exampleIds.caller,
  actor_type: 'application',
  transform: 'mask',
  key_id: exampleIds.callerKey,
  request_id: exampleIds.request,
  source_address: '127.0.0.1',
  containers: ['/pci/high/'],
  created_at: exampleTime,
};

const csv = [
  'id,tenant_id,created_at,actor_id,actor_type,key_id,source_address,request_id,entity_type,entity_id,operation,outcome,transform,message,containers,destination,details',
  `${exampleIds.log},${exampleIds.tenant},${exampleTime},${exampleIds.caller},application,${exampleIds.callerKey},127.0.0.1,${exampleIds.request},card,${exampleIds.card},create,success,mask,Token created,/pci/high/,,`,
  '',
].join('\r\n');

export const logExamples = {
  listLogs: [
    {
      summary: 'Who created a token',
      status: 200,
      request: { query: created },
      response: {
        pagination: { total_items: 1, page_number: 1, page_size: 20, total_pages: 1, is_exact: true },
        data: [record],
      },
    },
    invalidDate,
  ],
  exportLogs: [
    {
      summary: 'As JSON lines',
      status: 200,
      request: { query: created },
      response: `${JSON.stringify(record)}\n{"end":true,"records":1}\n`,
    },
    {
      summary: 'As CSV',
      status: 200,
      request: { query: { format: 'csv', ...created } },
      mediaType: 'text/csv',
      response: csv,
    },
    invalidDate,
  ],
  listLogEntityTypes: [
    {
      summary: 'All entity types',
      status: 200,
      response: [
        {
          display_name: 'Application',
          value: 'application',
        },
        {
          display_name: 'Bank',
          value: 'bank',
        },
        {
          display_name: 'Card',
          value: 'card',
        },
        {
          display_name: 'Client key',
          value: 'client_key',
        },
        {
          display_name: 'Erasure',
          value: 'erasure',
        },
        {
          display_name: 'Export',
          value: 'export',
        },
        {
          display_name: 'Import',
          value: 'import',
        },
        {
          display_name: 'Invitation',
          value: 'invitation',
        },
        {
          display_name: 'Key',
          value: 'key',
        },
        {
          display_name: 'Legal hold',
          value: 'legal_hold',
        },
        {
          display_name: 'Log',
          value: 'log',
        },
        {
          display_name: 'Member',
          value: 'member',
        },
        {
          display_name: 'Proxy',
          value: 'proxy',
        },
        {
          display_name: 'Retention rule',
          value: 'retention_rule',
        },
        {
          display_name: 'Session',
          value: 'session',
        },
        {
          display_name: 'Tenant',
          value: 'tenant',
        },
        {
          display_name: 'Token',
          value: 'token',
        },
        {
          display_name: 'Token intent',
          value: 'token_intent',
        },
        {
          display_name: 'Webhook',
          value: 'webhook',
        },
      ],
    },
    {
      summary: 'An unknown parameter',
      status: 400,
      request: { query: { size: '10' } },
      problem: invalid({ querystring: ['must be empty: this endpoint takes no parameters'] }),
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
