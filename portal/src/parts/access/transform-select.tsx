import { type Transform, transforms } from './rights';
import { transformWords } from './words';

/** Selects how much of the data is shown. */
export function TransformSelect(select: {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly className?: string;
  readonly value: Transform;
  readonly onChange: (transform: Transform) => void;
}) {
  const { onChange, ...rest } = select;
  return (
    <select
      {...rest}
      onChange={({ target }) => onChange(transforms.find((transform) => transform === target.value) ?? 'mask')}
    >
      {transforms.map((transform) => (
        <option key={transform} value={transform}>
          {transformWords[transform]} ({transform})
        </option>
      ))}
    </select>
  );
}
