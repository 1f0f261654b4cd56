import { useState } from 'react';
import { Field } from '../../parts/controls/field';
import { toLocalTime } from '../../parts/show/local-time';

/**
 * Edits a time in the user's time zone. The value is UTC. The text is the input's own while it is being typed: browsers
 * report half a date as nothing, and writing that back would change what the user types next.
 */
export function LocalTimeInput(input: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly errors?: readonly string[];
}) {
  const [initial] = useState(() => (input.value === undefined ? '' : toLocalTime(new Date(input.value))));
  return (
    <Field label={input.label} errors={input.errors}>
      {(ids) => (
        <input
          {...ids}
          type="datetime-local"
          defaultValue={initial}
          onChange={({ target }) => input.onChange(target.value === '' ? undefined : toUtc(target.value))}
        />
      )}
    </Field>
  );
}

function toUtc(local: string): string | undefined {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
