import { Segments } from '../controls/segments';
import { SightMark, sightLabels, toSight } from '../show/sight';
import { type Transform, transforms } from './rights';

/** Lets the user choose how much of the data is shown. */
export function TransformChoice(choice: {
  readonly label: string;
  readonly value: Transform;
  readonly onChange: (transform: Transform) => void;
}) {
  return (
    <Segments
      label={choice.label}
      value={choice.value}
      onChange={choice.onChange}
      options={transforms.map((value) => ({
        value,
        isPlain: value === 'reveal',
        label: (
          <span className={`sight sight-${toSight(value)}`}>
            <SightMark of={toSight(value)} />
            {sightLabels[toSight(value)]}
          </span>
        ),
      }))}
    />
  );
}
