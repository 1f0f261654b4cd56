import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { NoParameters } from '../../../http/parameters/query-parameters.ts';
import { timestamp, toTimestamp } from '../../../http/parameters/timestamp.ts';
import { toCheckpointJson } from '../../../platform/audit/seal/checkpoint.ts';
import { CheckpointView } from './log-checkpoint-schema.ts';
import { type LogSeal, type LogSeals, waitingMax } from './log-seal.ts';
import { logSealExamples } from './log-seal-examples.ts';
import type { LogService } from '../list/log-service.ts';

const WaitingView = Type.Object(
  {
    records: Type.Integer({ minimum: 0, description: 'How many records are not sealed yet.' }),
    is_exact: Type.Boolean({ description: `False if there are more. At most ${waitingMax} are counted.` }),
    oldest_at: Type.Optional(timestamp('When the oldest of them was created.')),
  },
  { description: 'Records that no checkpoint covers yet.' },
);
const WorkerView = Type.Object(
  {
    is_running: Type.Boolean({
      description: 'Whether a worker has looked for records to seal within the last 30 seconds.',
    }),
    looked_at: Type.Optional(timestamp('When a worker last looked. Absent if none ever has.')),
  },
  { description: 'The worker that seals the log.' },
);
const StopView = Type.Object(
  {
    stopped_at: timestamp('The time since which nothing has been sealed.'),
    reason: Type.String({ description: 'What is wrong, and what to do about it.' }),
  },
  { description: 'Why nothing is sealed for this tenant.' },
);
const AuditKeyView = Type.Object(
  {
    version: Type.Integer({ description: '`key_version` of the checkpoints that it signed.' }),
    public_key: Type.String({
      contentEncoding: 'base64',
      description: 'An Ed25519 key. Compare it with a copy from another source.',
    }),
  },
  { description: 'A public key for verifying checkpoints.' },
);
nameSchemas({
  LogSealWaiting: WaitingView,
  LogSealWorker: WorkerView,
  LogSealStop: StopView,
  AuditKey: AuditKeyView,
});
const LogSealView = Type.Object(
  {
    checkpoint: Type.Optional(CheckpointView),
    waiting: WaitingView,
    worker: WorkerView,
    stop: Type.Optional(StopView),
    public_keys: Type.Array(AuditKeyView, { description: 'The public keys for verifying checkpoints.' }),
  },
  { description: 'The state of sealing.' },
);
nameSchemas({ LogSeal: LogSealView });

export function addLogSealRoutes(app: FastifyInstance, { seals, logs }: { seals: LogSeals; logs: LogService }): void {
  app.get(
    '/logs/seal',
    {
      config: { permission: 'log:read', examples: logSealExamples.getLogSeal },
      schema: {
        operationId: 'getLogSeal',
        summary: 'Get the state of sealing',
        description: `Returns how far the log of the tenant is sealed: the newest checkpoint, absent before the first; how many records wait
for the next one; whether a worker seals; and \`stop\`, if the newest checkpoint is damaged and nothing is sealed until that is
resolved.`,
        tags: ['Logs'],
        querystring: NoParameters,
        response: { 200: LogSealView },
      },
    },
    async ({ caller }) => {
      const seal = await seals.find(caller);
      await logs.recordRead(caller, undefined);
      return toSealView(seal, seals.publicKeys);
    },
  );
}

function toSealView(
  { checkpoint, waiting, worker, stop }: LogSeal,
  publicKeys: LogSeals['publicKeys'],
): Static<typeof LogSealView> {
  return {
    ...(checkpoint === undefined ? {} : { checkpoint: toCheckpointJson(checkpoint) }),
    waiting: {
      records: waiting.records,
      is_exact: waiting.isExact,
      ...(waiting.oldestAt === undefined ? {} : { oldest_at: toTimestamp(waiting.oldestAt) }),
    },
    worker: {
      is_running: worker.isRunning,
      ...(worker.lookedAt === null ? {} : { looked_at: toTimestamp(worker.lookedAt) }),
    },
    ...(stop === undefined ? {} : { stop: { stopped_at: toTimestamp(stop.at), reason: stop.reason } }),
    public_keys: publicKeys.map(({ version, publicKey }) => ({ version, public_key: publicKey.toString('base64') })),
  };
}
