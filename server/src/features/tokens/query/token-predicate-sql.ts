import type { SearchQuery } from '../../../core/search/search-query.ts';
import type { TenantKeyring } from '../../../platform/keyring/keys/tenant-keyring.ts';
import type { Parameters } from '../../../platform/database/statement-parameters.ts';
import { termsOf } from './token-lookup.ts';
import { toFirstRulePredicate } from './first-rule-sql.ts';
import { toContainerPredicate } from './token-shelf-predicate-sql.ts';

const columns = {
  id: 't.id',
  type: 't.type',
  fingerprint: 't.fingerprint',
  created_by: 't.created_by::text',
  modified_by: 't.modified_by::text',
};

/**
 * Returns a query as a condition on a row of `tokens t`. The condition is never null, so that `not` works as expected.
 */
export function toPredicate(query: SearchQuery, keys: TenantKeyring, parameters: Parameters): string {
  const terms = termsOf(query, keys);
  if (terms !== undefined) return `t.terms && ${parameters.add([...terms])}::bytea[]`;

  switch (query.kind) {
    case 'term': {
      const column = columns[query.field];
      const value = query.field.endsWith('_by') ? query.value.toLowerCase() : query.value;
      return `coalesce(${column} = ${parameters.add(value)}, false)`;
    }
    case 'container':
      return toContainerPredicate(query, parameters);
    case 'range':
      return toRange(query, parameters);
    case 'first-rule':
      return toFirstRulePredicate(query, parameters);
    case 'not':
      return `(not ${toPredicate(query.operand, keys, parameters)})`;
    case 'and':
    case 'or':
      return `(${query.operands.map((operand) => toPredicate(operand, keys, parameters)).join(` ${query.kind} `)})`;
    case 'data':
    case 'metadata':
      throw new Error('Data and metadata are found by their terms.');
  }
}

function toRange(query: Extract<SearchQuery, { kind: 'range' }>, parameters: Parameters): string {
  const column = query.field === 'created_at' ? 't.created_at' : 't.modified_at';
  const bounds = [
    ...(query.from === undefined ? [] : [`${column} >= ${parameters.add(query.from)}`]),
    ...(query.before === undefined ? [] : [`${column} < ${parameters.add(query.before)}`]),
  ];
  return `(${[`${column} is not null`, ...bounds].join(' and ')})`;
}
