import { useState } from 'react';
import { Button } from '../../parts/controls/button';
import { Field } from '../../parts/controls/field';
import { holdsCardNumber } from '../../parts/find/card-number';
import { CardNumberRefused } from '../../parts/find/card-number-refused';
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
  const [isCard, setCard] = useState(false);
  return (
    <form
      className="target-form"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = text.trim();
        setCard(holdsCardNumber(wanted));
        if (holdsCardNumber(wanted)) return;
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
      {isCard ? <CardNumberRefused /> : null}
      <Button type="submit" kind="main">
        Show
      </Button>
    </form>
  );
}
