import type { Schemas } from '../../api/client';
import type { Transform } from '../../api/routes';

export type Side = 'request' | 'response';

/** One transform while it is being written. Members that its type does not have stay empty. */
export interface DraftTransform {
  /** Tells rows apart while they are added and removed. */
  readonly key: number;
  readonly type: string;
  readonly location: string;
  /** The token type for `tokenize`. */
  readonly tokenType: string;
  /** What is inserted, or the expression of a mask. */
  readonly value: string;
}

export interface RouteDraft {
  readonly name: string;
  readonly destinationUrl: string;
  readonly isKeyless: boolean;
  readonly applicationId: string;
  readonly sources: string;
  /** The header with an HMAC of the body, if callers have to send one. */
  readonly proofHeader: string;
  readonly secretName: string;
  readonly secret: string;
  readonly request: readonly DraftTransform[];
  readonly response: readonly DraftTransform[];
}

export const typesOf: Readonly<Record<Side, readonly string[]>> = {
  request: ['tokenize', 'remove', 'append_header', 'append_json', 'append_text'],
  response: ['mask', 'tokenize', 'detokenize', 'remove', 'append_header', 'append_json', 'append_text'],
};

let lastKey = 0;
export function newTransform(type: string, members: Partial<DraftTransform> = {}): DraftTransform {
  lastKey += 1;
  return { key: lastKey, type, location: '', tokenType: 'card_number', value: '', ...members };
}

const empty: RouteDraft = {
  name: '',
  destinationUrl: '',
  isKeyless: false,
  applicationId: '',
  sources: '',
  proofHeader: '',
  secretName: '',
  secret: '',
  request: [],
  response: [],
};
const cardMask = String.raw`(\d{12})\d{4}`;

export const recipes = {
  partner: {
    name: 'Receive cards from a partner',
    note: 'A partner without an API key posts cards. Your system receives tokens.',
    make: (): RouteDraft => ({
      ...empty,
      isKeyless: true,
      request: [
        newTransform('tokenize', { location: '$.card.number' }),
        newTransform('remove', { location: '$.card.cvc' }),
      ],
      response: [newTransform('mask', { value: cardMask })],
    }),
  },
  provider: {
    name: 'Charge at a provider',
    note: 'Your system sends tokens. The provider receives cards, and its key from the vault.',
    make: (): RouteDraft => ({
      ...empty,
      secretName: 'API_KEY',
      request: [
        newTransform('append_header', { location: 'Authorization', value: 'Bearer {{ configuration.API_KEY }}' }),
      ],
      response: [newTransform('mask', { value: cardMask })],
    }),
  },
  nothing: { name: 'From nothing', note: 'Choose every transform yourself.', make: (): RouteDraft => empty },
} as const;
export type Recipe = keyof typeof recipes;
export const recipeNames: readonly Recipe[] = ['partner', 'provider', 'nothing'];

/** Returns a transform in the form of the API. */
export function toTransform({ type, location, tokenType, value }: DraftTransform): Transform {
  switch (type) {
    case 'mask':
      return { type, matcher: 'regex', expression: value, replacement: '*' };
    case 'tokenize': {
      const token = { type: tokenType, data: '{{ value }}' };
      return { type, options: { location, token, ...(value === '' ? {} : { value }) } };
    }
    case 'remove':
    case 'detokenize':
      return { type, options: { location } };
    case 'append_text':
      return { type, options: { value } };
    default:
      return { type, options: { location, value } };
  }
}

/** Returns the settings of the route in the form of the API. */
export function toSettings(draft: RouteDraft): Schemas['CreateProxyRequest'] {
  const { name, destinationUrl, isKeyless, applicationId, proofHeader, secretName, secret } = draft;
  const sources = draft.sources.split(/[\s,]+/).filter((text) => text !== '');
  return {
    name,
    destination_url: destinationUrl,
    require_auth: !isKeyless,
    ...(applicationId === '' ? {} : { application: { id: applicationId } }),
    ...(sources.length === 0 ? {} : { allowed_sources: sources }),
    ...(proofHeader === ''
      ? {}
      : { caller_check: { type: 'hmac-sha256' as const, header: proofHeader, secret: secretName } }),
    ...(secretName === '' ? {} : { configuration: { [secretName]: secret } }),
    request_transforms: draft.request.map(toTransform),
    response_transforms: draft.response.map(toTransform),
  };
}
