import type { FormEvent } from 'react';
import { Button } from '../../parts/controls/button';
import { SearchBox } from '../../parts/controls/search-box';

/** Searches with a query. `find` is called with undefined if the box is empty. */
export function TokenSearchBox({
  query,
  find,
}: {
  readonly query: string | undefined;
  readonly find: (query?: string) => void;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('query');
    find(typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined);
  };
  return (
    <search className="token-search">
      <form onSubmit={submit}>
        <SearchBox
          key={query}
          label="Search"
          name="query"
          defaultValue={query}
          placeholder="Paste an id, last four digits, an e-mail address, a metadata value or a fingerprint"
        />
        <Button type="submit">Search</Button>
        {query === undefined ? null : (
          <Button kind="ghost" onClick={() => find()}>
            Clear
          </Button>
        )}
      </form>
      <details>
        <summary>How to write a search</summary>
        <dl className="facts">
          {examples.map(([example, meaning]) => (
            <div key={example} className="fact">
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
