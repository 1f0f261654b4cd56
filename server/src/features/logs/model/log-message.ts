import type { EntityType, Operation, Outcome } from '../../../platform/audit/record/audit-event.ts';

/** The display names of the kinds of entities. */
export const displayNames: Readonly<Record<EntityType, string>> = {
  application: 'Application',
  bank: 'Bank',
  card: 'Card',
  client_key: 'Client key',
  erasure: 'Erasure',
  export: 'Export',
  import: 'Import',
  invitation: 'Invitation',
  key: 'Key',
  legal_hold: 'Legal hold',
  log: 'Log',
  member: 'Member',
  proxy: 'Proxy',
  retention_rule: 'Retention rule',
  session: 'Session',
  tenant: 'Tenant',
  token: 'Token',
  token_intent: 'Token intent',
  webhook: 'Webhook',
};

/** Cards and bank accounts are called tokens, so that a search for the events of tokens finds theirs too. */
const subjects: Readonly<Record<EntityType, string>> = { ...displayNames, bank: 'Token', card: 'Token' };

const deeds: Readonly<Record<Operation, { readonly done: string; readonly noun: string }>> = {
  create: { done: 'created', noun: 'creation' },
  read: { done: 'retrieved', noun: 'retrieval' },
  update: { done: 'updated', noun: 'update' },
  delete: { done: 'deleted', noun: 'deletion' },
  restore: { done: 'restored', noun: 'restoration' },
  remove: { done: 'removed for good', noun: 'removal' },
  expire: { done: 'expired', noun: 'expiry' },
  property_expired: { done: 'property expired', noun: 'expiry of a property' },
  invoke: { done: 'invoked', noun: 'invocation' },
  search: { done: 'searched', noun: 'search' },
  authorize: { done: 'authorized', noun: 'authorization' },
  configure: { done: 'settings changed', noun: 'change of settings' },
  issue_link: { done: 'link issued', noun: 'link' },
  issue_key: { done: 'key issued by an operator', noun: 'key' },
  resend: { done: 'resent', noun: 'resending' },
  accept: { done: 'accepted', noun: 'acceptance' },
  sign_in: { done: 'signed in', noun: 'sign-in' },
  sign_out: { done: 'signed out', noun: 'sign-out' },
  change_sign_in: { done: 'sign-in changed', noun: 'change of sign-in' },
  use_recovery_code: { done: 'recovery code used', noun: 'use of a recovery code' },
  request: { done: 'requested', noun: 'request' },
  approve: { done: 'approved', noun: 'approval' },
  refuse: { done: 'refused', noun: 'refusal' },
  run: { done: 'completed', noun: 'run' },
  rotate: { done: 'rotated', noun: 'rotation' },
  move: { done: 'moved to another cell', noun: 'move to another cell' },
  rewrap: { done: 'rewrapped', noun: 'rewrapping' },
  reencrypt: { done: 're-encryption completed', noun: 're-encryption' },
  retire: { done: 'retired', noun: 'retirement' },
  disable: { done: 'disabled', noun: 'disabling' },
  alert: { done: 'alert raised', noun: 'alert' },
  acknowledge: { done: 'alert acknowledged', noun: 'acknowledgement of an alert' },
};

/** Messages for events whose subject and operation would not read like a sentence. */
const wholes: ReadonlyMap<string, string> = new Map([
  ['token search success', 'Tokens searched'],
  ['member issue_link success', 'Sign-in link issued'],
  ['member change_sign_in success', 'Sign-in methods changed'],
  ['member use_recovery_code success', 'Recovery code used'],
  ['session sign_in success', 'Signed in'],
  ['session sign_in denied', 'Sign-in denied'],
  ['session sign_out success', 'Signed out'],
]);

const endings: Readonly<Record<Exclude<Outcome, 'success'>, string>> = {
  denied: 'denied',
  missed: 'found nothing',
  intent: 'begun',
  failed: 'failed',
  unknown: 'ended in an unknown way',
};

/** Returns a sentence about a record, such as `Token created` or `Token retrieval denied`. */
export function toLogMessage(entityType: EntityType, operation: Operation, outcome: Outcome): string {
  const whole = wholes.get(`${entityType} ${operation} ${outcome}`);
  if (whole !== undefined) return whole;
  const subject = subjects[entityType];
  const { done, noun } = deeds[operation];
  return outcome === 'success' ? `${subject} ${done}` : `${subject} ${noun} ${endings[outcome]}`;
}
