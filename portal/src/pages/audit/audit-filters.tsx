import { useNames } from '../../api/names';
import { ranges } from './audit-range';
import { type AuditSearch, type FilterName, filterNames } from './audit-search';
import { filterLabels, toValueLabel } from './filter-words';
import { LocalTimeInput } from './local-time-input';

interface Filters {
  readonly search: AuditSearch;
  readonly choose: (change: AuditSearch) => void;
}

/** Shows the time range, a search for an id, and the active filters. */
export function AuditFilters({ search, choose }: Filters) {
  return (
    <div className="audit-filters">
      <label>
        Time
        <select
          value={search.from === undefined ? (search.range ?? ranges[0].name) : 'chosen'}
          onChange={({ target }) => choose({ range: target.value, from: undefined, to: undefined })}
        >
          {ranges.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
          {search.from === undefined ? null : <option value="chosen">Chosen times</option>}
        </select>
      </label>
      <LocalTimeInput label="From" value={search.from} onChange={(from) => choose({ from })} />
      <LocalTimeInput label="To" value={search.to} onChange={(to) => choose({ to })} />
      <IdSearch choose={choose} />
      <ActiveFilters search={search} choose={choose} />
    </div>
  );
}

/** Searches for an id. Request ids are the trace ids that error messages show. All other ids belong to entities. */
function IdSearch({ choose }: Pick<Filters, 'choose'>) {
  return (
    <form
      className="audit-id"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const given = form.get('id');
        const id = typeof given === 'string' ? given.trim() : '';
        if (id !== '') choose({ [form.get('kind') === 'request' ? 'request_id' : 'entity_id']: id });
        event.currentTarget.reset();
      }}
    >
      <label>
        Id
        <input name="id" data-search maxLength={400} placeholder="Token, application, trace id" />
      </label>
      <label>
        of
        <select name="kind">
          <option value="entity">a token or other entity</option>
          <option value="request">a request</option>
        </select>
      </label>
      <button>Find</button>
    </form>
  );
}

function ActiveFilters({ search, choose }: Filters) {
  const names = useNames();
  const active = filterNames.filter((name) => search[name] !== undefined);
  if (active.length === 0) return null;
  const none: Partial<Record<FilterName, undefined>> = Object.fromEntries(active.map((name) => [name, undefined]));
  return (
    <ul className="audit-active" aria-label="Filters in use">
      {active.map((name) => (
        <li key={name}>
          <button type="button" onClick={() => choose({ [name]: undefined })}>
            {filterLabels[name]}: <strong>{toValueLabel(name, search[name] ?? '', names)}</strong>
            <span aria-hidden="true"> ×</span>
            <span className="unseen">, remove</span>
          </button>
        </li>
      ))}
      {active.length > 1 ? (
        <li>
          <button type="button" className="quiet" onClick={() => choose(none)}>
            Remove all
          </button>
        </li>
      ) : null}
    </ul>
  );
}
