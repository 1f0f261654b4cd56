import { type Static, Type } from 'typebox';
import { invalidField } from '../../../core/errors/domain-error.ts';
import { tokenLimits, tokenQueryLimits } from '../../../core/token-limits.ts';
import { orNull } from '../../../http/parameters/optional-schemas.ts';
import { pageOf, pageParameters } from '../../../http/parameters/pagination.ts';
import { queryParameters } from '../../../http/parameters/query-parameters.ts';
import { textMap } from '../../../http/parameters/text-schemas.ts';
import { timestamp, toTimestamp } from '../../../http/parameters/timestamp.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { ApprovalView, toApprovalField } from '../../approvals/index.ts';
import { parseScope, scopeMembers, toScopeView } from '../rules/retention-rule-schemas.ts';
import { erasureStatuses, type Selection, type ShownErasure } from './erasure.ts';

export const CreateErasure = Type.Object(
  {
    ...scopeMembers,
    metadata: orNull(
      textMap({
        nameMax: tokenLimits.metadataKeyLengthMax,
        valueMax: tokenLimits.metadataValueLengthMax,
        entriesMax: tokenQueryLimits.filterMetadataKeysMax,
        description: 'Only tokens with all of these pairs of metadata, compared as a search does.',
      }),
    ),
  },
  { description: 'The tokens to erase: those that meet everything that is given. Something must be.' },
);

export const ConfirmErasure = Type.Object(
  {
    confirmed_tokens: Type.Integer({
      minimum: 0,
      description: 'How many tokens may be erased at most, as they were counted.',
    }),
  },
  { description: 'The confirmation of an erasure.' },
);

export const ErasureQuery = queryParameters(pageParameters);

export const ErasureView = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Id of the erasure.' }),
    status: Type.Enum([...erasureStatuses], {
      description:
        '`counted` until it is confirmed, within a day; `awaiting_approval` if the tenant requires approvals; `queued`, `running` and `sealing` while a worker removes the tokens and waits for the log; `finished` with a receipt; `cancelled`; `stopped` without a receipt, as `reason` says: the requester lost the right to delete the tokens, more matched than were confirmed, or all were removed but the log could not prove it within a week.',
    }),
    container: Type.Optional(Type.String({ description: 'The container. Absent for every container.' })),
    type: Type.Optional(Type.String({ description: 'The token type. Absent for every type.' })),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'The pairs of metadata. When the erasure is over, digests of the values are in their place.',
      }),
    ),
    is_limited: Type.Boolean({
      description:
        'Whether tokens that match may be left, because the requester could not find and delete all tokens, when they were counted or while they were removed.',
    }),
    tokens: Type.Integer({ description: 'How many tokens were counted.' }),
    held_tokens: Type.Integer({
      description:
        'How many more match that a legal hold keeps: as they were counted, and from `sealing` on as they were left.',
    }),
    removed_tokens: Type.Integer({ description: 'How many tokens have been removed so far.' }),
    created_by: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Id of the application or user who asked for it. Absent for the operator.',
      }),
    ),
    created_at: timestamp('When it was counted.'),
    confirmed_at: Type.Optional(timestamp('When it was confirmed. Tokens that were created later are not erased.')),
    started_at: Type.Optional(timestamp('When a worker began.')),
    finished_at: Type.Optional(timestamp('When it was over.')),
    reason: Type.Optional(Type.String({ description: 'Why it was over without a receipt.' })),
    approval: Type.Optional(ApprovalView),
  },
  { description: 'An erasure of the tokens that were selected together.' },
);
export const ErasurePage = pageOf(ErasureView);
nameSchemas({
  CreateErasureRequest: CreateErasure,
  ConfirmErasureRequest: ConfirmErasure,
  Erasure: ErasureView,
  ErasurePage,
});

export function toSelection(body: Static<typeof CreateErasure>): Selection {
  const pairs = Object.entries(body.metadata ?? {}).map(([key, value]) => [key, value.toLowerCase()] as const);
  const selection = { ...parseScope(body), metadata: Object.fromEntries(pairs) };
  if (selection.container === null && selection.type === null && pairs.length === 0)
    throw invalidField('container', 'must be given, or type or metadata: an erasure of everything is not possible');
  return selection;
}

export function toErasureView(erasure: ShownErasure): Static<typeof ErasureView> {
  const { selection, createdBy, confirmedAt, startedAt, finishedAt, reason } = erasure;
  const hasMetadata = Object.keys(selection.metadata).length > 0;
  return {
    id: erasure.id,
    status: erasure.status,
    ...toScopeView(selection),
    ...(hasMetadata ? { metadata: { ...selection.metadata } } : {}),
    is_limited: erasure.isLimited,
    tokens: erasure.counted,
    held_tokens: erasure.held,
    removed_tokens: erasure.removed,
    ...(createdBy === null ? {} : { created_by: createdBy }),
    created_at: toTimestamp(erasure.createdAt),
    ...(confirmedAt === null ? {} : { confirmed_at: toTimestamp(confirmedAt) }),
    ...(startedAt === null ? {} : { started_at: toTimestamp(startedAt) }),
    ...(finishedAt === null ? {} : { finished_at: toTimestamp(finishedAt) }),
    ...(reason === null ? {} : { reason }),
    ...toApprovalField(erasure.approval),
  };
}
