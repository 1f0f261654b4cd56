import { Type } from 'typebox';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { timestamp } from '../../../http/parameters/timestamp.ts';

export const base64 = (description: string) => Type.String({ contentEncoding: 'base64', description });

export const CheckpointView = Type.Object(
  {
    tenant_id: Type.String({ format: 'uuid', description: 'Id of the tenant.' }),
    number: Type.Integer({ description: 'The number of the checkpoint, counted from 1.' }),
    tree_size: Type.Integer({ description: 'The number of records in the tree.' }),
    month: Type.String({ description: 'The month of the last record in the tree.' }),
    order_to: Type.String({
      description: 'The position of the last record in the tree among all records of the vault.',
    }),
    root: base64('The root of the tree.'),
    sealed_at: timestamp('When the checkpoint was signed.'),
    key_version: Type.Integer({ description: 'The version of the key that signed the checkpoint.' }),
    signature: base64('Ed25519, of the checkpoint.'),
  },
  { description: 'A signed state of the log.' },
);
nameSchemas({ LogCheckpoint: CheckpointView });
