import { type ReactNode, useId } from 'react';

interface Segment<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  /** True if choosing it would show plaintext. */
  readonly isPlain?: boolean;
}

/** Lets the user choose one of a few values. All of them are visible. */
export function Segments<Value extends string>(segments: {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly Segment<Value>[];
  readonly onChange: (value: Value) => void;
}) {
  const { label, value, options, onChange } = segments;
  const name = useId();
  return (
    <div className="segments" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.value} className={option.isPlain === true ? 'is-plain' : undefined}>
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
          {option.label}
        </label>
      ))}
    </div>
  );
}
