import type { Static } from 'typebox';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { HeaderField } from '../../../platform/outbound/destination-exchange.ts';
import { parseTransforms, type ProxyTransform } from '../../stored-proxies/index.ts';
import type { PreviewProxy, ProxyPreview } from './preview-schemas.ts';
import { applyTransforms } from '../transforms/apply-transforms.ts';
import { readMessageBody, writeMessageBody } from '../transforms/message-body.ts';
import type { TransformContext, WantedToken } from '../transforms/transformed-message.ts';

type Wanted = Static<typeof PreviewProxy>;
type Message = NonNullable<Wanted['request']>;

/** What a secret and a value of a token are shown as. */
const hidden = '•••';

/**
 * Applies transforms to sample messages. Nobody is called, no token is created or read, and secrets are not known here.
 */
export async function previewProxy(wanted: Wanted): Promise<Static<typeof ProxyPreview>> {
  const counts = { tokens: 0, values: 0 };
  const shared = {
    request: { method: 'POST', path: '' },
    createTokens: async (requests: readonly WantedToken[]) => {
      counts.tokens += requests.length;
      return requests.map(({ type = 'token', containers }) => ({
        id: crypto.randomUUID(),
        type,
        ...(containers === undefined ? {} : { containers }),
      }));
    },
    detokenize: async (references: readonly string[]) => {
      counts.values += references.length;
      return references.map(() => new Sensitive(hidden));
    },
  };
  const configuration = Object.fromEntries((wanted.configuration_names ?? []).map((name) => [name, hidden]));
  const request = await apply(wanted.request, toTransforms(wanted.request_transforms, 'request'), {
    ...shared,
    configuration,
  });
  const response = await apply(wanted.response, toTransforms(wanted.response_transforms, 'response'), {
    ...shared,
    configuration: {},
  });
  return { ...(request && { request }), ...(response && { response }), ...counts };
}

function toTransforms(given: Wanted['request_transforms'], side: 'request' | 'response'): ProxyTransform[] {
  return parseTransforms(given ?? [], side);
}

async function apply(
  given: Message | null | undefined,
  transforms: readonly ProxyTransform[],
  context: TransformContext,
): Promise<{ headers: Record<string, string>; body: string } | undefined> {
  if (given === null || given === undefined) return undefined;
  const headers: HeaderField[] = Object.entries(given.headers ?? {}).map(([name, value]) => ({
    name,
    value: Buffer.from(value, 'utf8').toString('latin1'),
  }));
  const message = { headers, body: await readMessageBody(headers, Buffer.from(given.body ?? '', 'utf8')) };
  await applyTransforms(message, transforms, context);
  const body = await writeMessageBody(message.body);
  return {
    headers: Object.fromEntries(
      message.headers.map(({ name, value }) => [name, Buffer.from(value, 'latin1').toString('utf8')]),
    ),
    body: body?.toString('utf8') ?? '',
  };
}
