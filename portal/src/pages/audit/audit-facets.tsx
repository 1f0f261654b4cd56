import type { Schemas } from '../../api/client';
import { useNames } from '../../api/names';
import { formatNumber } from '../../parts/number';
import { type AuditSearch, type FilterName, filterNames } from './audit-search';
import { filterLabels, toValueLabel } from './filter-words';

interface Facets {
  readonly facets: readonly Schemas['LogFieldValues'][];
  readonly search: AuditSearch;
  readonly choose: (change: AuditSearch) => void;
}

/** Facets in display order. Keys and actor types are omitted because users find them through actors. */
const shown: readonly FilterName[] = [
  'outcome',
  'actor_id',
  'entity_type',
  'operation',
  'transform',
  'source_address',
  'destination',
];

/** Shows the values that occur in the time range, most frequent first. Clicking a value filters by it. */
export function AuditFacets({ facets, search, choose }: Facets) {
  const fields = shown.flatMap((name) => facets.filter(({ field }) => field === name));
  return (
    <aside className="facets" aria-label="Filter by">
      {fields.map((field) => (
        <Facet key={field.field} facet={field} search={search} choose={choose} />
      ))}
    </aside>
  );
}

function Facet({ facet, search, choose }: Omit<Facets, 'facets'> & { readonly facet: Facets['facets'][number] }) {
  const names = useNames();
  const name = filterNames.find((known) => known === facet.field);
  if (name === undefined || facet.values.length === 0) return null;
  return (
    <section>
      <h2 className="facet-name">{filterLabels[name]}</h2>
      <ul>
        {facet.values.map(({ value, records }) => {
          const isChosen = search[name] === value;
          return (
            <li key={value}>
              <button
                type="button"
                aria-pressed={isChosen}
                title={value}
                onClick={() => choose({ [name]: isChosen ? undefined : value })}
              >
                <span>{toValueLabel(name, value, names)}</span>
                <span className="facet-count">{formatNumber(records)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {facet.is_complete ? null : <p className="note">and others</p>}
    </section>
  );
}
