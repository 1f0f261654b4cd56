import { isKeyOf } from '../../core/objects/keys-of.ts';
import type { AddressClass } from './address-class.ts';

/** Reasons to refuse a URL before anything is resolved. */
export type UrlRefusal = keyof typeof urlSentences;
/** Reasons to refuse a destination that is not on the application's list, or an application that has no list. */
export type ListRefusal = keyof typeof listSentences;
export type RefusalReason =
  | UrlRefusal
  | ListRefusal
  | `address-${Exclude<AddressClass, 'public'>}`
  | 'address-unreadable';

/** A refused destination. The reason is used in metrics. The caller only sees the message. */
export class DestinationRefusal extends Error {
  readonly reason: RefusalReason;
  readonly isMalformed: boolean;

  constructor(reason: RefusalReason) {
    super(sentenceOf(reason));
    this.name = 'DestinationRefusal';
    this.reason = reason;
    this.isMalformed = Object.hasOwn(urlSentences, reason);
  }
}

const listSentences = {
  unlisted: 'This application may not call this destination.',
  'no-list': 'On this vault, only applications that list their destinations may use the proxy.',
  'no-list-in-fields':
    'Card fields may use the proxy only with a session that was authorized by an application with allowed_destinations. Set allowed_destinations of that application to the hosts that the page may call.',
} as const;

const urlSentences = {
  'raw-character': 'The destination URL may contain only printable ASCII characters, and no backslash.',
  'too-long': 'The destination URL is too long.',
  form: 'The destination URL must have the form https://host/path.',
  scheme: 'The destination URL must begin with https://.',
  userinfo: 'The destination URL must not contain a user name or password.',
  fragment: 'The destination URL must not contain a fragment.',
  'ip-literal': 'The destination must be a host name, not an IP address.',
  port: 'The port of the destination URL is not allowed.',
  'not-canonical': 'The host of the destination URL must be written plainly, without percent-encoding.',
  'trailing-dot': 'The host of the destination URL must not end with a dot.',
  'single-label': 'The host of the destination URL must be a fully qualified name.',
  'special-name': 'The host of the destination URL is reserved for internal use.',
  'host-syntax': 'The host of the destination URL is not a valid host name.',
} as const;

/**
 * Returns the message. It is the same for every address, so that a caller cannot find out which names resolve to
 * internal addresses.
 */
function sentenceOf(reason: RefusalReason): string {
  if (isKeyOf(listSentences, reason)) return listSentences[reason];
  return isKeyOf(urlSentences, reason)
    ? urlSentences[reason]
    : 'The destination does not lead to an address that may be called.';
}
