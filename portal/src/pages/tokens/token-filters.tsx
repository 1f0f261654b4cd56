import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { usageQuery } from '../../api/usage';
import { Button } from '../../parts/controls/button';
import { holdsCardNumber } from '../../parts/find/card-number';
import { CardNumberRefused } from '../../parts/find/card-number-refused';
import { kindOf } from '../../parts/show/token-kind';
import type { TokenSearch } from './token-search';

type Filters = Omit<TokenSearch, 'query' | 'start'>;

/** Filters the list. The filters are stored in the address. */
export function TokenFilters({
  search,
  apply,
}: {
  readonly search: Filters;
  readonly apply: (filters: Filters) => void;
}) {
  const typeId = useId();
  const [isCard, setCard] = useState(false);
  const usage = useQuery(usageQuery);
  const types = new Set([...Object.keys(usage.data?.token_report.metrics_by_type ?? {}), ...listOf(search.type)]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const filters = readFilters(new FormData(event.currentTarget));
    const holdsCard = Object.values(filters).some((text) => holdsCardNumber(text ?? ''));
    setCard(holdsCard);
    if (!holdsCard) apply(filters);
  };
  return (
    <form className="token-filters" onSubmit={submit}>
      <div className="field">
        <label htmlFor={typeId}>Type</label>
        <select
          id={typeId}
          name="type"
          value={search.type ?? ''}
          onChange={(event) =>
            event.currentTarget.form !== null && apply(readFilters(new FormData(event.currentTarget.form)))
          }
        >
          <option value="">All</option>
          {[...types].sort().map((type) => (
            <option key={type} value={type}>
              {kindOf(type).name}
            </option>
          ))}
        </select>
      </div>
      <TextFilter label="Container" name="container" placeholder="/pci/high/" value={search.container} />
      <TextFilter label="Metadata" name="metadata" placeholder="customer=C-10833" value={search.metadata} />
      <TextFilter label="Fingerprint" name="fingerprint" value={search.fingerprint} />
      {isCard ? <CardNumberRefused /> : null}
      <div className="actions">
        <Button type="submit">Filter</Button>
        {Object.values(search).some((value) => value !== undefined) ? (
          <Button kind="ghost" onClick={() => apply({})}>
            Clear
          </Button>
        ) : null}
      </div>
    </form>
  );
}

function TextFilter(filter: {
  readonly label: string;
  readonly name: string;
  readonly placeholder?: string;
  readonly value: string | undefined;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{filter.label}</label>
      <input
        // The key resets the text when the address changes.
        key={filter.value}
        id={id}
        name={filter.name}
        placeholder={filter.placeholder}
        defaultValue={filter.value}
        autoComplete="off"
        spellCheck={false}
      />
    </div>
  );
}

function readFilters(form: FormData): Filters {
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const [type, container, metadata, fingerprint] = [
    text('type'),
    text('container'),
    text('metadata'),
    text('fingerprint'),
  ];
  return {
    ...(type === undefined ? {} : { type }),
    ...(container === undefined ? {} : { container }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  };
}

function listOf(value: string | undefined): string[] {
  return value === undefined ? [] : [value];
}
