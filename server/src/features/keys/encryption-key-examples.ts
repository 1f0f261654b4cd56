import { type ApiExample, invalid } from '../../http/routes/api-examples.ts';
import { exampleRootKey, exampleTime } from '../../http/routes/example-values.ts';

export const encryptionKeyExamples = {
  listEncryptionKeys: [
    {
      summary: 'A tenant whose key has never been rotated',
      status: 200,
      response: {
        root_key: { id: exampleRootKey, provider: 'file' },
        data_keys: [
          { version: 1, status: 'open', is_current: true, root_key: exampleRootKey, created_at: exampleTime },
        ],
      },
    },
    {
      summary: 'An unknown parameter',
      status: 400,
      request: { query: { size: '10' } },
      problem: invalid({ querystring: ['must be empty: this endpoint takes no parameters'] }),
    },
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
