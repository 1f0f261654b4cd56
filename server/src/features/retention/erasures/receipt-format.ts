import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { AuditRecord } from '../../../core/audit/record-text.ts';
import { membersOf } from '../../../core/objects/members-of.ts';
import { parseJsonOrNothing } from '../../../platform/audit/record/json-or-nothing.ts';
import type { AuditSigner } from '../../../platform/keyring/sealing/audit-signer.ts';
import { openSignedText, toSignedText } from '../../../platform/keyring/sealing/signed-text.ts';

/** The first line of a receipt. A later version of the format has another, which this one does not accept. */
const format = 'strongroom/erasure-receipt/1';
/** The head of a receipt: the format, what is signed as JSON, and the signature. The records follow, one a line. */
export const headLines = 3;

const closed = { additionalProperties: false };
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });
const time = Type.String({ maxLength: 30 });
const count = Type.Integer({ minimum: 0 });

const ReceiptHead = Type.Object(
  {
    erasure_id: uuid,
    tenant_id: uuid,
    selection: Type.Object(
      {
        container: nullable(Type.String()),
        type: nullable(Type.String()),
        /** Digests of the values, by key. */
        metadata: Type.Record(Type.String(), Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })),
      },
      closed,
    ),
    /**
     * True if tokens that match may be left, because the requester could not delete every token when they were counted or
     * in any batch.
     */
    is_limited: Type.Boolean(),
    requested_by: nullable(uuid),
    /** The most tokens that were allowed to be removed. */
    confirmed: count,
    confirmed_at: nullable(time),
    finished_at: time,
    tokens: count,
    /** How many more matched when the last token was removed, and were kept by a legal hold. */
    held: count,
    /**
     * How long the operator keeps backups, and when the last one with these tokens is gone. Null if nobody has said, and if
     * another cell had a copy of the tenant.
     */
    backups: nullable(Type.Object({ kept_days: count, gone_at: time }, closed)),
    /** The cell that had a copy of the tenant as well, because a move was not finished. Its copy may have the tokens. */
    copy_in_cell: Type.Optional(Type.String()),
    public_key: Type.String({ maxLength: 44 }),
    records: Type.Object({ bytes: count, sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }, closed),
    proof: Type.Unknown(),
  },
  closed,
);
export type ReceiptHead = Static<typeof ReceiptHead>;

export function toHeadText(head: ReceiptHead, signer: AuditSigner): string {
  return toSignedText(format, head, signer);
}

/** Returns undefined unless the holder of the key signed exactly this text. */
export function parseHead(text: string, publicKey: Buffer): ReceiptHead | undefined {
  const head = parseJsonOrNothing(openSignedText(format, text, publicKey) ?? '');
  return Value.Check(ReceiptHead, head) ? head : undefined;
}

/** Returns whether a record says that a token of this tenant was removed by this erasure. */
export function isRemoval(
  record: AuditRecord,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
): boolean {
  const isDeletion = record.operation === 'delete' && record.outcome === 'success' && record.tenant_id === tenantId;
  return isDeletion && membersOf(parseJsonOrNothing(record.details ?? ''))['within'] === id;
}
