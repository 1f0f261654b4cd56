import { toLocalTime } from '../../parts/local-time';

/** Shows a time in the user's time zone. The address stores it in UTC. */
export function LocalTimeInput(input: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}) {
  return (
    <label>
      {input.label}
      <input
        type="datetime-local"
        value={input.value === undefined ? '' : toLocalTime(new Date(input.value))}
        onChange={({ target }) => input.onChange(target.value === '' ? undefined : toUtc(target.value))}
      />
    </label>
  );
}

function toUtc(local: string): string | undefined {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
