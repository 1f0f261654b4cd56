import type { KnownActor } from '../../api/names';
import { sightLabels, toSight } from '../../parts/show/sight';
import type { FilterName } from './audit-search';

export const filterLabels: Readonly<Record<FilterName, string>> = {
  actor_id: 'Who',
  actor_type: 'Kind of actor',
  entity_type: 'What',
  entity_id: 'Entity id',
  operation: 'Did',
  outcome: 'Outcome',
  transform: 'Seen',
  key_id: 'Key',
  source_address: 'From',
  destination: 'To',
  request_id: 'Request',
};

export function toValueLabel(name: FilterName, value: string, names: ReadonlyMap<string, KnownActor>): string {
  if (name === 'actor_id') return names.get(value)?.name ?? value;
  return name === 'transform' ? sightLabels[toSight(value)] : value.replaceAll('_', ' ');
}
