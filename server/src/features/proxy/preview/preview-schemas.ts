import { Type } from 'typebox';
import { orNull } from '../../../http/parameters/optional-schemas.ts';
import { plainText, textMap } from '../../../http/parameters/text-schemas.ts';
import { nameSchemas } from '../../../http/routes/api-components.ts';
import { CreateProxy } from '../../stored-proxies/index.ts';

const bodyLengthMax = 64 * 1024;

const Message = Type.Object(
  {
    headers: orNull(
      textMap({ nameMax: 100, valueMax: 2_000, entriesMax: 50, description: 'Its headers, with the content type.' }),
    ),
    body: orNull(plainText({ maxLength: bodyLengthMax, description: 'Its body.' })),
  },
  { description: 'A message before its transforms.' },
);

const ShownMessage = Type.Object(
  {
    headers: Type.Record(Type.String(), Type.String(), { description: 'Its headers.' }),
    body: Type.String({ description: 'Its body.' }),
  },
  { description: 'A message after its transforms.' },
);

nameSchemas({ ProxyPreviewResult: ShownMessage });

const { request_transforms, response_transforms } = CreateProxy.properties;

export const PreviewProxy = Type.Object(
  {
    request_transforms,
    response_transforms,
    configuration_names: orNull(
      Type.Array(plainText({ maxLength: 100 }), {
        maxItems: 50,
        description: 'The names of secrets that transforms use. Their values are shown as `•••`.',
      }),
    ),
    request: orNull(Message),
    response: orNull(Message),
  },
  { description: 'Transforms, and messages to try them with. Do not use real card numbers.' },
);

export const ProxyPreview = Type.Object(
  {
    request: Type.Optional(ShownMessage),
    response: Type.Optional(ShownMessage),
    tokens: Type.Integer({ description: 'How many tokens a call would create.' }),
    values: Type.Integer({ description: 'How many references the response would have replaced with values.' }),
  },
  { description: 'The messages after the transforms, with ids that no token has.' },
);
nameSchemas({
  PreviewProxyRequest: PreviewProxy,
  ProxyPreview,
  ProxyPreviewMessage: Message,
});
