import { Ban } from 'lucide-react';
import type { Schemas } from '../../api/client';
import { useNames } from '../../api/names';
import { IconButton } from '../../parts/controls/button';
import { formatNumber } from '../../parts/show/number';
import { Sight, sightLabels, toSight } from '../../parts/show/sight';
import { type AuditSearch, type FilterName, filterNames, leaveOut } from './audit-search';
import { filterLabels, toValueLabel } from './filter-words';

interface Facets {
  readonly facets: readonly Schemas['LogFieldValues'][];
  /** False if only the newest matching records were counted. */
  readonly isExact: boolean;
  readonly search: AuditSearch;
  readonly choose: (change: AuditSearch) => void;
}

/** Facets in display order. Keys and actor types are omitted because users find them through actors. */
const shown: readonly FilterName[] = [
  'transform',
  'outcome',
  'actor_id',
  'operation',
  'entity_type',
  'source_address',
  'destination',
];

/** Shows the values that the filters leave, most frequent first. A value can be required or left out. */
export function AuditFacets({ facets, isExact, search, choose }: Facets) {
  const fields = shown.flatMap((name) => facets.filter(({ field }) => field === name));
  return (
    <div className="facets">
      {fields.map((field) => (
        <Facet key={field.field} facet={field} search={search} choose={choose} />
      ))}
      {isExact ? null : <p className="note">Counted in the newest records that fit.</p>}
    </div>
  );
}

function Facet({
  facet,
  search,
  choose,
}: Omit<Facets, 'facets' | 'isExact'> & { readonly facet: Facets['facets'][number] }) {
  const names = useNames();
  const name = filterNames.find((known) => known === facet.field);
  if (name === undefined || facet.values.length === 0) return null;
  return (
    <section>
      <h2>{filterLabels[name]}</h2>
      <ul>
        {facet.values.map(({ value, records }) => {
          const isChosen = search[name] === value;
          const label = name === 'transform' ? sightLabels[toSight(value)] : toValueLabel(name, value, names);
          return (
            <li key={value}>
              <button
                type="button"
                aria-pressed={isChosen}
                title={value}
                onClick={() => choose({ [name]: isChosen ? undefined : value })}
              >
                <span>{name === 'transform' ? <Sight of={toSight(value)} /> : label}</span>
                <span className="facet-count">{formatNumber(records)}</span>
              </button>
              <IconButton
                icon={Ban}
                isSmall
                label={`Leave out ${label}`}
                onClick={() => choose(leaveOut(search, { name, value }))}
              />
            </li>
          );
        })}
      </ul>
      {facet.is_complete ? null : <p className="note">and others</p>}
    </section>
  );
}
