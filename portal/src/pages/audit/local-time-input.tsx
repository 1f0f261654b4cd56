/** A time in the reader's zone; the address has it in UTC. */
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
        value={input.value === undefined ? '' : toLocal(new Date(input.value))}
        onChange={({ target }) => input.onChange(target.value === '' ? undefined : toUtc(target.value))}
      />
    </label>
  );
}

function toLocal(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toUtc(local: string): string | undefined {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
