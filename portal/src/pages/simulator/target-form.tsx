import { useState } from 'react';
import { Field } from '../../parts/field';
import type { SimulatorSearch } from './simulator-search';

/** Selects a token or a container. Text that starts with a slash is a container, because no token id does. */
export function TargetForm({
  search,
  onChange,
}: {
  readonly search: SimulatorSearch;
  readonly onChange: (changed: SimulatorSearch) => void;
}) {
  const [text, setText] = useState(search.token ?? search.container ?? '');
  return (
    <form
      className="target-form"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = text.trim();
        onChange(wanted.startsWith('/') ? { token: '', container: wanted } : { token: wanted, container: '' });
      }}
    >
      <Field label="Token or container">
        {(ids) => (
          <input
            {...ids}
            data-search
            className="mono"
            placeholder="Id of a token, or a container such as /pci/"
            required
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <button type="submit" className="primary">
        Show
      </button>
    </form>
  );
}
