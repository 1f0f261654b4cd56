import {
  exampleCard,
  exampleFingerprints,
  exampleIds,
  exampleMaskedCard,
  exampleTime,
} from '../../../http/routes/example-values.ts';

/** The tokens of the examples as seen with a key that has ordinary permissions. */
const { number: _, ...expiration } = exampleCard;
const made = { created_by: exampleIds.caller, created_at: exampleTime };

export const newCardView = {
  id: exampleIds.created,
  tenant_id: exampleIds.tenant,
  type: 'card',
  data: exampleMaskedCard,
  mask: exampleMaskedCard,
  fingerprint: exampleFingerprints.card,
  fingerprint_expression: '{{ data.number }}',
  containers: ['/pci/high/'],
  ...made,
  card: { bin: '42424242', last4: '4242', brand: 'visa', ...expiration },
};

export const cardView = { ...newCardView, id: exampleIds.card, metadata: { customer_id: 'c-1042' } };

export const personView = {
  id: exampleIds.person,
  tenant_id: exampleIds.tenant,
  type: 'social_security_number',
  data: 'XXX-XX-6789',
  mask: '{{ data | reveal_last: 4 }}',
  fingerprint: exampleFingerprints.person,
  fingerprint_expression: "{{ data | remove: '-' }}",
  containers: ['/pii/high/'],
  metadata: { customer_id: 'c-1042' },
  search_indexes: ['{{ data }}', "{{ data | remove: '-' }}", '{{ data | last4 }}'],
  ...made,
};
