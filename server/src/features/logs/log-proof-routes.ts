import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { DomainError } from '../../core/errors/domain-error.ts';
import { nameSchemas } from '../../http/api-components.ts';
import { queryParameters } from '../../http/query-parameters.ts';
import { timestamp } from '../../http/timestamp.ts';
import { type IdParameter, idParameter, requireUuid } from '../../http/uuid-parameter.ts';
import { toProofJson } from '../../platform/audit/inclusion-proof.ts';
import { parseDate } from './log-schemas.ts';
import { logProofExamples } from './log-proof-examples.ts';
import type { LogProofs } from './log-proofs.ts';

const base64 = (description: string) => Type.String({ contentEncoding: 'base64', description });

const RecordParameter = idParameter('Id of the record.');
const ProofQuery = queryParameters({
  created_at: Type.String({ maxLength: 50, description: 'When the record was created, as `GET /logs` shows it.' }),
});

const CheckpointView = Type.Object(
  {
    tenant_id: Type.String({ format: 'uuid', description: 'Id of the tenant.' }),
    number: Type.Integer({ description: 'Its number, counted from 1.' }),
    tree_size: Type.Integer({ description: 'How many records the tree holds.' }),
    month: Type.String({ description: 'The month of its last record.' }),
    order_to: Type.String({ description: 'The place of its last record among all records of the vault.' }),
    root: base64('The root of the tree.'),
    sealed_at: timestamp('When it was signed.'),
    key_version: Type.Integer({ description: 'The version of the key that signed it.' }),
    signature: base64('Ed25519, of the checkpoint.'),
  },
  { description: 'A signed state of the log.' },
);
const LogProofView = Type.Object(
  {
    record: Type.Object({}, { additionalProperties: true, description: 'The record, with everything that is hashed.' }),
    index: Type.Integer({ description: 'Its place in the tree, counted from 0.' }),
    path: Type.Array(base64('A hash beside the way to the root.'), {
      description: 'The hashes beside the way to the root, from the leaf up.',
    }),
    checkpoint: CheckpointView,
    public_key: base64('The key that the signature is checked with. Compare it with one that you got another way.'),
  },
  {
    description: 'What `strongroom audit check` accepts. It shows that the record is in the log, and no other record.',
  },
);
nameSchemas({ LogCheckpoint: CheckpointView, LogProof: LogProofView });

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
