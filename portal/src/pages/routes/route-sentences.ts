import type { Schemas } from '../../api/client';
import type { StoredProxy, Transform } from '../../api/routes';

/** The settings of a route that decide what it may do. Those of a stored proxy and of a draft have the same names. */
type RouteSettings = Partial<Omit<StoredProxy, 'require_auth'>> &
  Pick<Schemas['CreateProxyRequest'], 'require_auth' | 'destination_url'>;

const proofs: Readonly<Record<string, string>> = {
  secret: 'the shared secret',
  'hmac-sha256': 'an HMAC-SHA-256 of the body',
  'hmac-sha512': 'an HMAC-SHA-512 of the body',
};

/** Says what a route may do. `rights` names the application whose rights apply, if there is one. */
export function describeRoute(route: RouteSettings, rights: string | undefined): string[] {
  const host = hostOf(route.destination_url);
  const requests = route.request_transforms ?? [];
  const responses = route.response_transforms ?? [];
  return [
    `Calls go to ${host}, and to no other host.`,
    describeCallers(route),
    rights === undefined
      ? route.require_auth === false
        ? 'It can do nothing until it has the rights of an application.'
        : 'It has the rights of whoever calls, and no more.'
      : `It has the rights of ${rights}, and no others, whoever calls.`,
    describeReferences(route, host),
    ...requests.map((transform) => `In requests, ${describeTransform(transform, host)}`),
    ...responses.map((transform) => `In responses, ${describeTransform(transform, 'the caller')}`),
    ...(requests.some(isProtecting) ? ['A request that it cannot look into is refused.'] : []),
    ...(responses.some(isProtecting) ? ['A response that it cannot look into does not reach the caller.'] : []),
  ];
}

function describeCallers({ require_auth: isKeyed, allowed_sources: sources = [], caller_check: check }: RouteSettings) {
  const from = sources.length === 0 ? '' : ` from ${sources.join(', ')}`;
  const proof = check === undefined ? '' : `, and must send ${proofs[check.type] ?? 'a proof'} in ${check.header}`;
  return isKeyed === false
    ? `Anybody${from} who knows its key may call it, without an API key${proof}.`
    : `Callers${from} need its key and an API key with token:use${proof}.`;
}

function describeReferences({ require_auth: isKeyed, disable_detokenization: isOff }: RouteSettings, host: string) {
  if (isKeyed === false) return 'References to tokens stay as they are: a caller without an API key uses no token.';
  if (isOff === true) return 'References to tokens in requests stay as they are.';
  return `References to tokens in requests are replaced with plaintext, which ${host} receives.`;
}

function describeTransform({ type, options, expression }: Transform, reader: string): string {
  const at = options?.location ?? '';
  const value = options?.value ?? '';
  switch (type ?? '') {
    case 'tokenize':
      return `the value at ${at} is stored as a token, and ${reader} receives ${value === '' ? 'its id' : value}.`;
    case 'detokenize':
      return `the token at ${at} is replaced with its value, as far as the rights allow, and ${reader} receives it.`;
    case 'mask':
      return `what matches ${expression ?? ''} is masked.`;
    case 'remove':
      return `${at} is removed.`;
    case 'append_text':
      return `${value} is added at the end.`;
    default:
      return `${at} is set to ${value}.`;
  }
}

function isProtecting({ type }: Transform): boolean {
  return type === 'tokenize' || type === 'remove' || type === 'mask';
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the destination';
}
