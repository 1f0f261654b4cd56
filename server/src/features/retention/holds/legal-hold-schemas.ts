import { type Static, Type } from 'typebox';
import { invalidField } from '../../../core/errors/domain-error.ts';
import { parseIsoTimestamp } from '../../../core/expiry/timestamp.ts';
import { tokenLimits } from '../../../core/token-limits.ts';
import { orNull } from '../../../http/parameters/optional-schemas.ts';
import { plainText, textMap } from '../../../http/parameters/text-schemas.ts';
import { timestamp, toTimestamp } from '../../../http/parameters/timestamp.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { ApprovalView, toApprovalField } from '../../approvals/index.ts';
import { parseScope, scopeMembers, toScopeView } from '../rules/retention-rule-schemas.ts';
import { type HoldScope, isInForce, type ShownHold } from './legal-hold.ts';

export const CreateHold = Type.Object(
  {
    reason: plainText({ minLength: 1, maxLength: 1_000, description: 'Why the tokens are kept, for people.' }),
    ...scopeMembers,
    token_id: orNull(plainText({ maxLength: tokenLimits.idLengthMax, description: 'Only the token with this id.' })),
    metadata: orNull(
      textMap({
        nameMax: tokenLimits.metadataKeyLengthMax,
        valueMax: tokenLimits.metadataValueLengthMax,
        entriesMax: 1,
        description: 'Only tokens with this pair of metadata, compared as a search does.',
      }),
    ),
    ends_at: orNull(
      Type.String({ maxLength: 50, description: 'When the hold ends: ISO 8601. Without it, it has to be lifted.' }),
    ),
  },
  { description: 'A legal hold to set. It keeps the tokens that meet everything that is given, or all if nothing is.' },
);

export const HoldView = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Id of the hold.' }),
    is_in_force: Type.Boolean({ description: 'Whether it keeps tokens now: it was neither lifted nor has it ended.' }),
    reason: Type.String({ description: 'Why the tokens are kept.' }),
    container: Type.Optional(Type.String({ description: 'The container. Absent for every container.' })),
    type: Type.Optional(Type.String({ description: 'The token type. Absent for every type.' })),
    token_id: Type.Optional(
      Type.String({ description: 'The one token that it keeps. Absent if it keeps others too.' }),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'The pair of metadata. Absent for any metadata.' }),
    ),
    created_by: Type.Optional(
      Type.String({ format: 'uuid', description: 'Id of the application or user who set it.' }),
    ),
    created_at: timestamp('When it was set.'),
    ends_at: Type.Optional(timestamp('When it ends. Absent if it has to be lifted.')),
    lifted_at: Type.Optional(timestamp('When it was lifted. Absent if it was not.')),
    lifted_by: Type.Optional(
      Type.String({ format: 'uuid', description: 'Id of the application or user who lifted it.' }),
    ),
    approval: Type.Optional(ApprovalView),
  },
  { description: 'Keeps tokens from being deleted or changed, whatever rules and requests say.' },
);
nameSchemas({ CreateLegalHoldRequest: CreateHold, LegalHold: HoldView });

export function toHoldScope(body: Static<typeof CreateHold>): HoldScope {
  const [pair] = Object.entries(body.metadata ?? {});
  return {
    ...parseScope(body),
    tokenId: body.token_id ?? null,
    metadata: pair === undefined ? null : { key: pair[0], value: pair[1].toLowerCase() },
  };
}

export function toHoldEnd({ ends_at: text = null }: Static<typeof CreateHold>): Date | null {
  if (text === null) return null;
  const end = parseIsoTimestamp(text);
  if (end === undefined) throw invalidField('ends_at', 'must be an ISO 8601 date-time');
  return end.instant;
}

export function toHoldView(hold: ShownHold): Static<typeof HoldView> {
  const { tokenId, metadata, createdBy, endsAt, liftedAt, liftedBy } = hold;
  return {
    id: hold.id,
    is_in_force: isInForce(hold),
    reason: hold.reason,
    ...toScopeView(hold),
    ...(tokenId === null ? {} : { token_id: tokenId }),
    ...(metadata === null ? {} : { metadata: { [metadata.key]: metadata.value } }),
    ...(createdBy === null ? {} : { created_by: createdBy }),
    created_at: toTimestamp(hold.createdAt),
    ...(endsAt === null ? {} : { ends_at: toTimestamp(endsAt) }),
    ...(liftedAt === null ? {} : { lifted_at: toTimestamp(liftedAt) }),
    ...(liftedBy === null ? {} : { lifted_by: liftedBy }),
    ...toApprovalField(hold.approval),
  };
}
