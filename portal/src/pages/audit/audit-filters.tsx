import { CalendarRange, Eye, EyeOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useNames } from '../../api/names';
import { Button } from '../../parts/controls/button';
import { Chip, FilterChip } from '../../parts/controls/chip';
import { SearchBox } from '../../parts/controls/search-box';
import { holdsCardNumber } from '../../parts/find/card-number';
import { CardNumberRefused } from '../../parts/find/card-number-refused';
import { Time } from '../../parts/show/time';
import { ranges } from './audit-range';
import {
  type AuditSearch,
  type FilterName,
  filterNames,
  readExclusions,
  showsViews,
  writeExclusions,
} from './audit-search';
import { filterLabels, toValueLabel } from './filter-words';
import { TimeDialog } from './time-dialog';

interface Filters {
  readonly search: AuditSearch;
  readonly choose: (change: AuditSearch) => void;
}

/** Shows a search for an id, the time range, and the active filters. `more` is shown beside the time range. */
export function AuditFilters({ search, choose, more }: Filters & { readonly more: ReactNode }) {
  return (
    <>
      <IdSearch choose={choose} />
      <div className="chips">
        <TimeRange search={search} choose={choose} />
        {more}
        <ActiveFilters search={search} choose={choose} />
      </div>
    </>
  );
}

/** Searches for an id. Request ids are the trace ids that error messages show. All other ids belong to entities. */
function IdSearch({ choose }: Pick<Filters, 'choose'>) {
  const [isCard, setCard] = useState(false);
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget).get('id');
        const id = typeof given === 'string' ? given.trim() : '';
        setCard(holdsCardNumber(id));
        if (id !== '' && !holdsCardNumber(id)) choose({ entity_id: id });
        event.currentTarget.reset();
      }}
    >
      {isCard ? <CardNumberRefused /> : null}
      <SearchBox name="id" label="Id" maxLength={400} placeholder="Id of a token, an application or anything else" />
    </form>
  );
}

function TimeRange({ search, choose }: Filters) {
  const [isOpen, setOpen] = useState(false);
  const range = ranges.find(({ name }) => name === search.range) ?? ranges[0];
  return (
    <>
      <Button isSmall icon={CalendarRange} onClick={() => setOpen(true)}>
        <span className="unseen">Time range: </span>
        {search.from === undefined ? (
          range.label
        ) : (
          <>
            <Time at={search.from} form="exact" /> –{' '}
            {search.to === undefined ? 'now' : <Time at={search.to} form="exact" />}
          </>
        )}
      </Button>
      {isOpen ? <TimeDialog search={search} choose={choose} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function ActiveFilters({ search, choose }: Filters) {
  const names = useNames();
  const active = filterNames.filter((name) => search[name] !== undefined);
  const excluded = readExclusions(search);
  const none: Partial<Record<FilterName | 'not', undefined>> = {
    ...Object.fromEntries(active.map((name) => [name, undefined])),
    not: undefined,
  };
  return (
    <ul className="chips" aria-label="Filters in use">
      {active.map((name) => (
        <li key={name}>
          <FilterChip onRemove={() => choose({ [name]: undefined })}>
            {filterLabels[name]}: <strong>{toValueLabel(name, search[name] ?? '', names)}</strong>
          </FilterChip>
        </li>
      ))}
      {excluded.map(({ name, value }, index) => (
        <li key={`${name}:${value}`}>
          <FilterChip isNot onRemove={() => choose(writeExclusions(excluded.toSpliced(index, 1)))}>
            {filterLabels[name]}: not <strong>{toValueLabel(name, value, names)}</strong>
          </FilterChip>
        </li>
      ))}
      <li>
        {showsViews(search) ? (
          <Chip icon={EyeOff} onPress={() => choose({ views: undefined })}>
            Leave out page views of members
          </Chip>
        ) : (
          <Chip icon={Eye} onPress={() => choose({ views: 'shown' })}>
            Show page views of members
          </Chip>
        )}
      </li>
      {active.length + excluded.length > 1 ? (
        <li>
          <Button kind="ghost" isSmall onClick={() => choose(none)}>
            Remove all
          </Button>
        </li>
      ) : null}
    </ul>
  );
}
