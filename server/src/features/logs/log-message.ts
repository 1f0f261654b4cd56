import type { EntityType, Operation, Outcome } from '../../platform/audit/audit-event.ts';

/** What a kind of entity is called. */
export const displayNames: Readonly<Record<EntityType, string>> = {
  application: 'Application',
  bank: 'Bank',
  card: 'Card',
  export: 'Export',
  invitation: 'Invitation',
  key: 'Key',
  log: 'Log',
  member: 'Member',
  proxy: 'Proxy',
  session: 'Session',
  tenant: 'Tenant',
  token: 'Token',
};

/** Cards and bank accounts are tokens; whoever looks for what happened to tokens finds theirs too. */
const subjects: Readonly<Record<EntityType, string>> = { ...displayNames, bank: 'Token', card: 'Token' };

const deeds: Readonly<Record<Operation, { readonly done: string; readonly noun: string }>> = {
  create: { done: 'created', noun: 'creation' },
  read: { done: 'retrieved', noun: 'retrieval' },
  update: { done: 'updated', noun: 'update' },
  delete: { done: 'deleted', noun: 'deletion' },
  expire: { done: 'expired', noun: 'expiry' },
  invoke: { done: 'invoked', noun: 'invocation' },
};

const endings: Readonly<Record<Exclude<Outcome, 'success'>, string>> = {
  denied: 'denied',
  missed: 'found nothing',
  intent: 'begun',
  failed: 'failed',
  unknown: 'ended in an unknown way',
};

/** One sentence about a record: `Token created`, `Token retrieval denied`. */
export function toLogMessage(entityType: EntityType, operation: Operation, outcome: Outcome): string {
  const subject = subjects[entityType];
  const { done, noun } = deeds[operation];
  return outcome === 'success' ? `${subject} ${done}` : `${subject} ${noun} ${endings[outcome]}`;
}
