import { Type } from 'typebox';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { timestamp } from '../../../http/parameters/timestamp.ts';

export const base64 = (description: string) => Type.String({ contentEncoding: 'base64', description });

export const CheckpointView = Type.Object(
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
nameSchemas({ LogCheckpoint: CheckpointView });
