import type { FastifyInstance } from 'fastify';
import { NoParameters } from '../../http/parameters/query-parameters.ts';
import { encryptionKeyExamples } from './encryption-key-examples.ts';
import { EncryptionKeysView, toEncryptionKeysView } from './encryption-key-schemas.ts';
import type { EncryptionKeyService } from './encryption-keys.ts';

export function addEncryptionKeyRoutes(app: FastifyInstance, keys: EncryptionKeyService): void {
  app.get(
    '/tenants/self/encryption-keys',
    {
      config: { permission: 'tenant:read', examples: encryptionKeyExamples.listEncryptionKeys },
      schema: {
        operationId: 'listEncryptionKeys',
        summary: 'List encryption keys',
        description:
          'Returns which keys the data of the tenant is encrypted with, how old they are, and how far the newest re-encryption has come. Keys are rotated, closed and destroyed at the command line of the vault.',
        tags: ['Tenant'],
        querystring: NoParameters,
        response: { 200: EncryptionKeysView },
      },
    },
    async ({ caller }) => toEncryptionKeysView(await keys.list(caller)),
  );
}
