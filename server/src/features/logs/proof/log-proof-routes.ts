import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { queryParameters } from '../../../http/parameters/query-parameters.ts';
import { type IdParameter, idParameter, requireUuid } from '../../../http/parameters/uuid-parameter.ts';
import { toProofJson } from '../../../platform/audit/verify/inclusion-proof.ts';
import { base64, CheckpointView } from './log-checkpoint-schema.ts';
import { parseDate } from '../model/log-schemas.ts';
import { logProofExamples } from './log-proof-examples.ts';
import type { LogProofs } from './log-proofs.ts';

const RecordParameter = idParameter('Id of the record.');
const ProofQuery = queryParameters({
  created_at: Type.String({ maxLength: 50, description: 'When the record was created, as `GET /logs` shows it.' }),
});

const LogProofView = Type.Object(
  {
    record: Type.Object(
      {},
      { additionalProperties: true, description: 'The record, with all fields that are hashed.' },
    ),
    index: Type.Integer({ description: 'The position of the record in the tree, counted from 0.' }),
    path: Type.Array(base64('A sibling hash on the path to the root.'), {
      description: 'The sibling hashes on the path from the leaf to the root.',
    }),
    checkpoint: CheckpointView,
    public_key: base64('The key that the signature is checked with. Compare it with one that you got another way.'),
  },
  {
    description: 'What `strongroom audit check` accepts. It shows that the record is in the log, and no other record.',
  },
);
nameSchemas({ LogProof: LogProofView });

export function addLogProofRoutes(app: FastifyInstance, proofs: LogProofs): void {
  app.get<{ Params: IdParameter; Querystring: Static<typeof ProofQuery> }>(
    '/logs/:id/proof',
    {
      config: {
        permission: 'log:read',
        problems: ['record-not-sealed', 'record-not-provable'],
        examples: logProofExamples.getLogProof,
      },
      schema: {
        operationId: 'getLogProof',
        summary: 'Prove a log record',
        description:
          'Returns a proof that an audit record is part of the sealed log: the hashes from the record to the root of the tree, and the signed checkpoint with that root. Check it with `strongroom audit check`, which needs no access to the vault.',
        tags: ['Logs'],
        params: RecordParameter,
        querystring: ProofQuery,
        response: { 200: LogProofView },
      },
    },
    async ({ caller, params, query }) => {
      const createdAt = parseDate('created_at', query.created_at);
      const proof = await proofs.prove(caller, requireUuid<string>(params.id, noSuchRecord), createdAt);
      return { ...toProofJson(proof), public_key: proofs.publicKey.toString('base64') };
    },
  );
}

function noSuchRecord(): DomainError {
  return new DomainError('not-found', 'There is no such record.');
}
