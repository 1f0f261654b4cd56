import { Type, type Static } from 'typebox';

/** Appears in every bundle, so that nobody takes it for more than it is. */
export const statement = 'This supports an assessment and replaces none.';
export const evidenceFormat = 'strongroom/evidence/1';

const count = Type.Integer({ minimum: 0 });
const time = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' });
const uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false };

const FactView = Type.Object(
  {
    id: Type.String({ description: 'The same in every bundle.' }),
    verdict: Type.Union([Type.Literal('holds'), Type.Literal('attention'), Type.Literal('fails')], {
      description: 'What the vault says about it. "attention" leaves the judgement to people.',
    }),
    sentence: Type.String(),
    figure: Type.Record(Type.String(), Type.Number(), { description: 'The numbers that the sentence is made of.' }),
    affected: Type.Array(Type.Object({ tenant_id: nullable(uuid), kind: Type.String(), id: Type.String() }, closed), {
      description: 'What it is about, by id. At most 100 are listed.',
      maxItems: 100,
    }),
    affected_total: count,
    found_by: Type.String({ description: 'How the figure was found.' }),
    proof: Type.Union([
      Type.Object({ file: Type.String() }, closed),
      Type.Object({ not_provable: Type.String({ description: 'Why nobody can check it without the vault.' }) }, closed),
    ]),
    read_at: time,
    to_do: nullable(Type.String()),
  },
  closed,
);

const RowView = Type.Object(
  {
    id: Type.String(),
    requirements: Type.String({ description: 'Numbers of PCI DSS 4.0.1.' }),
    topic: Type.String(),
    vault: Type.String({ description: 'What the vault does.' }),
    yours: Type.String({ description: 'What remains for those who run it.' }),
    unchecked: nullable(
      Type.String({ description: 'Numbers that were not compared with a public text of the standard.' }),
    ),
    related: Type.Array(Type.String(), { description: 'Controls of other standards about the same subject.' }),
    without_facts: nullable(Type.String({ description: 'Why there is no fact about it.' })),
    facts: Type.Array(FactView),
  },
  closed,
);

/** The content of evidence.json. */
export const EvidenceView = Type.Object(
  {
    format: Type.Literal(evidenceFormat),
    statement: Type.Literal(statement),
    standard: Type.Literal('PCI DSS 4.0.1'),
    version: Type.String({ description: 'The version of the vault.' }),
    public_key: Type.String({ description: 'The key that signs the audit log and this bundle, as base64.' }),
    tenant_id: nullable(uuid),
    tenants: count,
    period: Type.Object({ from: time, to: time }, closed),
    started_at: time,
    finished_at: time,
    totals: Type.Object({ holds: count, attention: count, fails: count }, closed),
    rows: Type.Array(RowView),
  },
  closed,
);
export type EvidenceView = Static<typeof EvidenceView>;
export type EvidenceFact = EvidenceView['rows'][number]['facts'][number];

/** Returns the schema as every bundle contains it. */
export function toSchemaText(): string {
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: evidenceFormat, ...EvidenceView };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
