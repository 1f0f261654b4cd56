import { type FormEvent, useId } from 'react';

/** Searches with a query. `find` is called with undefined if the box is empty. */
export function TokenSearchBox({
  query,
  find,
}: {
  readonly query: string | undefined;
  readonly find: (query?: string) => void;
}) {
  const id = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('query');
    find(typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined);
  };
  return (
    <search>
      <form className="token-search" onSubmit={submit}>
        <label htmlFor={id} className="unseen">
          Search
        </label>
        <input
          key={query}
          id={id}
          name="query"
          type="search"
          data-search
          defaultValue={query}
          placeholder="type:card AND metadata.customer:C-10833"
          autoComplete="off"
          spellCheck={false}
          maxLength={1_000}
        />
        <button className="primary">Search</button>
        {query === undefined ? null : (
          <button type="button" className="quiet" onClick={() => find()}>
            Clear
          </button>
        )}
      </form>
      <details className="token-syntax">
        <summary>How to write a search</summary>
        <dl className="facts">
          {examples.map(([example, meaning]) => (
            <div key={example} className="facts-row">
              <dt>
                <code>{example}</code>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <p className="note">
          Join terms with <code>AND</code>, <code>OR</code>, <code>NOT</code> and parentheses. Quote a value that has
          spaces or special characters.
        </p>
      </details>
    </search>
  );
}

const examples = [
  ['type:card', 'Tokens of a type.'],
  ['container:/pci/', 'Tokens in a container, and in everything below it.'],
  ['metadata.customer:C-10833', 'A metadata value; case does not matter.'],
  ['created_at:[2026-01-01 TO *]', 'Created since a day. modified_at works the same way.'],
  ['id:…  fingerprint:…  created_by:…', 'An exact value.'],
  [
    'data:"ada@example.com"',
    'A value of a search index. Such a search stays out of the address and the history of your browser.',
  ],
] as const;
