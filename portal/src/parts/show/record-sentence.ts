/** The fields of a record that its sentence is made of. */
export interface Said {
  readonly entity_type: string;
  readonly entity_id: string;
  readonly operation: string;
  readonly outcome: string;
  readonly destination?: string;
  readonly details?: { readonly [name: string]: unknown };
}

/**
 * A sentence about a record, without its subject: what was done, to what, and where it went. `id` is set if one entity
 * is meant.
 */
export interface Sentence {
  readonly verb: string;
  readonly object: string;
  readonly id: string | undefined;
  readonly tail: string;
}

interface Deed {
  readonly done: string;
  readonly doing: string;
  /** True if the verb already says everything, such as "signed in". */
  readonly isWhole?: boolean;
}

/** The entity id of a record that concerns no single entity. */
const noSingleEntity = '*';

const nouns: Readonly<Record<string, { readonly one: string; readonly many: string }>> = {
  application: { one: 'the application', many: 'applications' },
  bank: { one: 'a bank account', many: 'bank accounts' },
  card: { one: 'a card', many: 'cards' },
  export: { one: 'the export', many: 'exports' },
  import: { one: 'an import', many: 'imports' },
  invitation: { one: 'an invitation', many: 'invitations' },
  key: { one: 'the key', many: 'keys' },
  log: { one: 'a record of the log', many: 'the log' },
  member: { one: 'a member', many: 'members' },
  client_key: { one: 'a client key', many: 'client keys' },
  proxy: { one: 'the route', many: 'routes' },
  session: { one: 'a session', many: 'sessions' },
  tenant: { one: 'the tenant', many: 'the tenant' },
  token: { one: 'a token', many: 'tokens' },
  token_intent: { one: 'a token intent', many: 'token intents' },
  webhook: { one: 'the webhook', many: 'webhooks' },
};
/** A record of the proxy is about one request, unless it is about a stored proxy. */
const request = { one: 'a request', many: 'requests' };

const deeds: Readonly<Record<string, Deed>> = {
  create: { done: 'created', doing: 'creating' },
  read: { done: 'read', doing: 'reading' },
  update: { done: 'changed', doing: 'changing' },
  delete: { done: 'deleted', doing: 'deleting' },
  restore: { done: 'restored', doing: 'restoring' },
  remove: { done: 'removed for good', doing: 'removing' },
  expire: { done: 'deleted', doing: 'deleting' },
  property_expired: { done: 'removed the verification code of', doing: 'removing the verification code of' },
  invoke: { done: 'sent', doing: 'sending' },
  search: { done: 'searched', doing: 'searching' },
  authorize: { done: 'authorized', doing: 'authorizing' },
  configure: { done: 'changed the settings of', doing: 'changing the settings of' },
  issue_link: { done: 'issued a sign-in link for', doing: 'issuing a sign-in link for' },
  issue_key: { done: 'issued a key of', doing: 'issuing a key of' },
  resend: { done: 'sent again', doing: 'sending again' },
  accept: { done: 'accepted', doing: 'accepting' },
  sign_in: { done: 'signed in', doing: 'signing in', isWhole: true },
  sign_out: { done: 'signed out', doing: 'signing out', isWhole: true },
  change_sign_in: { done: 'changed how they sign in', doing: 'changing how they sign in', isWhole: true },
  use_recovery_code: { done: 'used a recovery code', doing: 'using a recovery code', isWhole: true },
  request: { done: 'requested', doing: 'requesting' },
  approve: { done: 'approved', doing: 'approving' },
  refuse: { done: 'refused', doing: 'refusing' },
  run: { done: 'finished', doing: 'running' },
  rotate: { done: 'rotated', doing: 'rotating' },
  rewrap: { done: 'rewrapped', doing: 'rewrapping' },
  reencrypt: { done: 'finished re-encrypting with', doing: 're-encrypting with' },
  retire: { done: 'destroyed', doing: 'destroying' },
  alert: { done: 'raised an alert about', doing: 'raising an alert about' },
  acknowledge: { done: 'acknowledged an alert about', doing: 'acknowledging an alert about' },
};

const tokenKinds = new Set(['token', 'card', 'bank']);
const byTokens: Readonly<Record<string, Deed>> = { create: { done: 'stored', doing: 'storing' } };
const readingMany: Deed = { done: 'listed', doing: 'listing' };
const lookingAt: Deed = { done: 'looked at', doing: 'looking at' };
const downloading: Deed = { done: 'downloaded', doing: 'downloading' };

/** Says what was done, in the past tense: "read a card", "was denied deleting a card", "sent a card, to a.example". */
export function toSentence(record: Said): Sentence {
  const { entity_type: type, entity_id: entityId, operation, outcome } = record;
  const isMany = entityId === noSingleEntity;
  const missing = countIn(record, 'missing');
  if (outcome === 'missed') return { ...toMiss(type, missing), id: isMany || missing > 1 ? undefined : entityId };
  const isSent = tokenKinds.has(type) && operation === 'read' && record.destination !== undefined;
  const isDownload = record.details?.['via'] === 'download';
  const deed = isSent ? deeds['invoke'] : isDownload ? downloading : findDeed(type, operation, isMany);
  const { done = operation, doing = operation, isWhole = false } = deed ?? {};
  const noun = operation === 'invoke' ? request : (nouns[type] ?? { one: type, many: `${type}s` });
  return {
    verb: withOutcome(outcome, done, doing),
    object: isWhole ? '' : isMany && operation !== 'invoke' ? noun.many : noun.one,
    id: isWhole || isMany || type === 'tenant' ? undefined : entityId,
    tail: toTail(record, missing),
  };
}

/** Writes the sentence as text, with the name of the actor. */
export function toText(actor: string, record: Said): string {
  const { verb, object, tail } = toSentence(record);
  return [actor, verb, object].filter((word) => word !== '').join(' ') + tail;
}

function findDeed(type: string, operation: string, isMany: boolean): Deed | undefined {
  if (operation === 'read' && type === 'tenant') return lookingAt;
  if (operation === 'read' && isMany) return type === 'log' ? lookingAt : readingMany;
  return (tokenKinds.has(type) ? byTokens[operation] : undefined) ?? deeds[operation];
}

function withOutcome(outcome: string, done: string, doing: string): string {
  if (outcome === 'denied') return `was denied ${doing}`;
  if (outcome === 'intent') return `began ${doing}`;
  if (outcome === 'failed') return `failed at ${doing}`;
  return outcome === 'unknown' ? `may have ${done}` : done;
}

function toMiss(type: string, missing: number): Pick<Sentence, 'verb' | 'object' | 'tail'> {
  const noun = nouns[type] ?? { one: type, many: `${type}s` };
  const object = missing > 1 ? `${missing.toLocaleString('en')} ${noun.many}` : noun.one;
  return { verb: 'asked for', object, tail: missing > 1 ? ' that do not exist' : ' that does not exist' };
}

function toTail(record: Said, missing: number): string {
  const fields = record.details?.['fields'];
  const names = record.operation === 'search' && Array.isArray(fields) ? fields.map(String) : [];
  const created = record.operation === 'invoke' ? countIn(record, 'count') : 0;
  return [
    names.length === 0 ? '' : ` by ${names.join(', ')}`,
    record.destination === undefined ? '' : ` to ${record.destination}`,
    created === 0 ? '' : `, storing ${created.toLocaleString('en')} ${created === 1 ? 'token' : 'tokens'}`,
    record.operation === 'expire' ? ' because it had expired' : '',
    missing > 0 ? `; ${missing.toLocaleString('en')} did not exist` : '',
  ].join('');
}

function countIn({ details }: Said, name: string): number {
  const value = details?.[name];
  return typeof value === 'number' ? value : 0;
}
