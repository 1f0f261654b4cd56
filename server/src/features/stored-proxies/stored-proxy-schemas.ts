import { type Static, Type } from 'typebox';
import { invalidField } from '../../core/errors/domain-error.ts';
import { type ApplicationId, isId } from '../../core/identity/ids.ts';
import { toJsonText } from '../../core/json/json-text.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { orNull } from '../../http/parameters/optional-schemas.ts';
import { pageOf, pageParameters } from '../../http/parameters/pagination.ts';
import { queryParameters } from '../../http/parameters/query-parameters.ts';
import { plainText, textMap } from '../../http/parameters/text-schemas.ts';
import { changeFields } from '../../http/parameters/timestamp.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { CallerCheck, toCallerCheck, toSources } from './caller-check.ts';
import { parseTransforms } from './parse-transforms.ts';
import type { Configuration, ProxySettings } from './stored-proxy.ts';
import { transformTypes } from './transform.ts';

const transformsMax = 20;
/**
 * The maximum length of all transforms of one side as JSON. Every call reads them, and a list those of a hundred
 * proxies.
 */
const transformsLengthMax = 32 * 1024;
export const timeoutSecondsMax = 120;

const TransformOptions = Type.Object(
  {
    location: orNull(
      Type.String({
        maxLength: 400,
        description: 'Where: `$.card.number` in JSON, `form:number`, `xml:/order/card` or `header:X-Card`.',
      }),
    ),
    token: Type.Optional(
      Type.Unsafe<JsonValue>(
        Type.Unknown({ description: 'A request for a token, in which `{{ value }}` is the value found.' }),
      ),
    ),
    identifier: orNull(
      Type.String({ maxLength: 50, description: 'The name of the token in `value`: `token` by default.' }),
    ),
    value: orNull(
      Type.String({
        maxLength: 1_000,
        description: 'What is inserted, such as `{{ token.id }}` or `{{ configuration.KEY }}`.',
      }),
    ),
  },
  { description: 'The details of a transform.' },
);
const Transform = Type.Object(
  {
    type: orNull(Type.String({ maxLength: 50, description: `One of ${transformTypes.join(', ')}.` })),
    code: orNull(Type.String({ maxLength: 100_000, description: 'Rejected: a vault runs no code of its users.' })),
    matcher: orNull(Type.String({ maxLength: 50, description: 'How a mask finds text: `regex`.' })),
    expression: orNull(
      Type.String({
        maxLength: 400,
        description: 'A regular expression of RE2 with a group, which is what a mask hides.',
      }),
    ),
    replacement: orNull(Type.String({ maxLength: 4, description: 'The character that a mask shows: `*` by default.' })),
    options: orNull(TransformOptions),
  },
  { description: 'A change to a request or a response.' },
);
const Transforms = (of: string) =>
  Type.Array(Transform, { maxItems: transformsMax, description: `Changes to the ${of}, in this order.` });

const settings = {
  name: plainText({ minLength: 1, maxLength: 200, description: 'A name for people to recognize it by.' }),
  destination_url: Type.String({ maxLength: 2_000, description: 'The https URL that calls go to.' }),
  require_auth: orNull(
    Type.Boolean({
      description:
        'Whether callers need an API key with `token:use`: true by default. If not, the key of the proxy is enough.',
    }),
  ),
  application: orNull(
    Type.Object(
      { id: orNull(Type.String({ maxLength: 36, description: 'Id of a private application of the tenant.' })) },
      {
        title: 'ProxyApplication',
        description: 'The application whose rights apply, and no others. By default, they are those of the caller.',
      },
    ),
  ),
  application_id: orNull(Type.String({ maxLength: 36, description: 'The same, as responses name it.' })),
  configuration: orNull(
    textMap({
      nameMax: 100,
      valueMax: 4_000,
      entriesMax: 50,
      description: 'Secrets for transforms of the request. They are encrypted and never returned.',
    }),
  ),
  request_transforms: orNull(Transforms('request')),
  response_transforms: orNull(Transforms('response')),
  request_transform: orNull(Transform),
  response_transform: orNull(Transform),
  request_reactor_id: orNull(Type.String({ maxLength: 36, description: 'Rejected: there are no reactors.' })),
  response_reactor_id: orNull(Type.String({ maxLength: 36, description: 'Rejected: there are no reactors.' })),
  timeout: orNull(
    Type.Integer({
      minimum: 1,
      maximum: timeoutSecondsMax,
      description: 'The maximum seconds of a call, within the limit of the vault.',
    }),
  ),
  disable_detokenization: orNull(
    Type.Boolean({
      description: 'Whether references to tokens in requests are passed on as they are. False by default.',
    }),
  ),
  allowed_sources: orNull(
    Type.Array(Type.String({ maxLength: 49 }), {
      maxItems: 50,
      description: 'The addresses and networks that calls may come from, such as `203.0.113.0/24`. Any by default.',
    }),
  ),
  caller_check: orNull(CallerCheck),
};

export const CreateProxy = Type.Object(settings, { description: 'The proxy to create.' });
export const UpdateProxy = Type.Object(settings, {
  description:
    'The new settings of a proxy. Omitted settings get their defaults, except that the configuration is kept as long as the host of the destination is.',
});
export const PatchProxy = Type.Object(
  {
    ...Type.Partial(CreateProxy).properties,
    configuration: orNull(
      Type.Record(
        Type.String({ pattern: String.raw`^[^\p{Cc}\p{Cs}]{1,100}$` }),
        Type.Union([plainText({ maxLength: 4_000 }), Type.Null()]),
        {
          maxProperties: 50,
          additionalProperties: false,
          description: 'Secrets to set, and those to remove with null. With a new host, all others are removed.',
        },
      ),
    ),
  },
  { description: 'The changes to a proxy, as a merge patch.' },
);

export const ProxyView = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Id of the proxy.' }),
    key: Type.Optional(
      Type.String({
        description:
          'The key that calls name in `BT-PROXY-KEY`. Absent if the reader could not grant the rights of the proxy.',
      }),
    ),
    tenant_id: Type.String({ format: 'uuid', description: 'Id of the tenant.' }),
    name: settings.name,
    destination_url: settings.destination_url,
    require_auth: Type.Boolean({ description: 'Whether callers need an API key.' }),
    application_id: Type.Optional(Type.String({ format: 'uuid', description: 'The application whose rights apply.' })),
    configuration_names: Type.Array(Type.String(), { description: 'The names of the secrets, without their values.' }),
    request_transforms: Transforms('request'),
    response_transforms: Transforms('response'),
    timeout: Type.Optional(Type.Integer({ description: 'The maximum seconds of a call.' })),
    disable_detokenization: Type.Boolean({ description: 'Whether references in requests are passed on as they are.' }),
    allowed_sources: Type.Optional(
      Type.Array(Type.String(), { description: 'The addresses and networks that calls may come from.' }),
    ),
    caller_check: Type.Optional(CallerCheck),
    ...changeFields,
  },
  { description: 'A proxy with a fixed destination.' },
);
export const ProxyPage = pageOf(ProxyView);
nameSchemas({
  CreateProxyRequest: CreateProxy,
  UpdateProxyRequest: UpdateProxy,
  PatchProxyRequest: PatchProxy,
  ProxyTransform: Transform,
  ProxyTransformOptions: TransformOptions,
  StoredProxy: ProxyView,
  StoredProxyPage: ProxyPage,
});

const Id = Type.String({ maxLength: 36 });
export const ProxyQuery = queryParameters({
  ...pageParameters,
  id: Type.Optional(
    Type.Union([Id, Type.Array(Id, { maxItems: 100 })], { description: 'Return only this id; may be repeated.' }),
  ),
  name: Type.Optional(Type.String({ maxLength: 200, description: 'Return only proxies with this name.' })),
});

/** What a request says about a proxy. The configuration is undefined if the request leaves it out. */
export interface WantedProxy {
  readonly settings: ProxySettings;
  readonly configuration: Configuration | undefined;
}

export function toWantedProxy(body: Static<typeof CreateProxy>): WantedProxy {
  for (const name of ['request_reactor_id', 'response_reactor_id'] as const)
    if ((body[name] ?? null) !== null) throw invalidField(name, 'cannot be set: a vault has no reactors');
  return {
    settings: {
      name: body.name,
      destinationUrl: body.destination_url,
      requireAuth: body.require_auth ?? true,
      applicationId: toApplicationId(body),
      requestTransforms: toTransforms(body.request_transforms, body.request_transform, 'request'),
      responseTransforms: toTransforms(body.response_transforms, body.response_transform, 'response'),
      timeoutSeconds: body.timeout ?? null,
      disableDetokenization: body.disable_detokenization ?? false,
      allowedSources: toSources(body.allowed_sources ?? []),
      callerCheck: toCallerCheck(body.caller_check),
    },
    configuration: body.configuration ?? undefined,
  };
}

function toApplicationId({ application, application_id }: Static<typeof CreateProxy>): ApplicationId | null {
  const text = (application?.id ?? application_id ?? null)?.toLowerCase() ?? null;
  if (text !== null && !isId<ApplicationId>(text))
    throw invalidField('application', 'must have the id of an application');
  return text;
}

function toTransforms(
  many: readonly unknown[] | null | undefined,
  one: unknown,
  side: 'request' | 'response',
): readonly JsonObject[] {
  const isOne = (one ?? null) !== null;
  if (isOne && (many ?? []).length > 0)
    throw invalidField(`${side}_transform`, `must not be sent together with ${side}_transforms`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The schema has checked that they are objects of JSON.
  const given = (isOne ? [one] : (many ?? [])) as readonly JsonObject[];
  const present = given.map(withoutNulls);
  if (toJsonText(present).length > transformsLengthMax)
    throw invalidField(`${side}_transforms`, `must have at most ${transformsLengthMax} characters of JSON together`);
  parseTransforms(present, side);
  return present;
}

function withoutNulls(transform: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(transform).filter(([, value]) => value !== null));
}
