import type { KnownActor } from '../../api/names';
import { describeTransform } from '../../parts/record-words';
import type { FilterName } from './audit-search';

export const filterLabels: Readonly<Record<FilterName, string>> = {
  actor_id: 'Actor',
  actor_type: 'Kind of actor',
  entity_type: 'Entity',
  entity_id: 'Entity id',
  operation: 'Operation',
  outcome: 'Outcome',
  transform: 'Data seen',
  key_id: 'Key',
  source_address: 'Address',
  destination: 'Destination',
  request_id: 'Request',
};

export function toValueLabel(name: FilterName, value: string, names: ReadonlyMap<string, KnownActor>): string {
  if (name === 'actor_id') return names.get(value)?.name ?? value;
  return name === 'transform' ? describeTransform(value).label : value.replaceAll('_', ' ');
}
