import type { ApiExample } from '../../http/api-examples.ts';
import { exampleRootKey, exampleTime } from '../../http/example-values.ts';

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
  ],
} satisfies Readonly<Record<string, readonly ApiExample[]>>;
