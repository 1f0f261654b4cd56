import { Plus, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../parts/controls/button';
import { type DraftTransform, newTransform, type Side, typesOf } from './route-draft';

const tokenTypes = ['card_number', 'card', 'bank', 'token'];

const valueNames: Readonly<Record<string, string>> = {
  mask: 'Pattern with a group',
  tokenize: 'What replaces it',
  append_header: 'Value',
  append_json: 'Value',
  append_text: 'Text',
};

/** Lets the user write the transforms of one side, in their order. */
export function TransformRows(rows: {
  readonly side: Side;
  readonly transforms: readonly DraftTransform[];
  readonly onChange: (transforms: readonly DraftTransform[]) => void;
}) {
  const { side, transforms, onChange } = rows;
  const change = (key: number, members: Partial<DraftTransform>) =>
    onChange(transforms.map((transform) => (transform.key === key ? { ...transform, ...members } : transform)));
  return (
    <fieldset className="transform-rows">
      <legend>{side === 'request' ? 'What happens to requests' : 'What happens to responses'}</legend>
      {transforms.map((transform, index) => (
        <TransformRow
          key={transform.key}
          name={`${side === 'request' ? 'Request' : 'Response'} transform ${index + 1}`}
          types={typesOf[side]}
          transform={transform}
          onChange={(members) => change(transform.key, members)}
          onRemove={() => onChange(transforms.filter(({ key }) => key !== transform.key))}
        />
      ))}
      <div className="actions">
        <Button
          isSmall
          icon={Plus}
          onClick={() => onChange([...transforms, newTransform(typesOf[side][0] ?? 'remove')])}
        >
          Add a transform
        </Button>
      </div>
    </fieldset>
  );
}

function TransformRow(row: {
  readonly name: string;
  readonly types: readonly string[];
  readonly transform: DraftTransform;
  readonly onChange: (members: Partial<DraftTransform>) => void;
  readonly onRemove: () => void;
}) {
  const { name, types, transform, onChange, onRemove } = row;
  const { type, location, tokenType, value } = transform;
  const hasLocation = type !== 'mask' && type !== 'append_text';
  const valueName = valueNames[type];
  return (
    <div className="transform-row" role="group" aria-label={name}>
      <select aria-label={`${name}: type`} value={type} onChange={({ target }) => onChange({ type: target.value })}>
        {types.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      {hasLocation ? (
        <input
          aria-label={`${name}: location`}
          placeholder={type === 'append_header' ? 'X-Header' : '$.card.number'}
          value={location}
          onChange={({ target }) => onChange({ location: target.value })}
        />
      ) : null}
      {type === 'tokenize' ? (
        <select
          aria-label={`${name}: token type`}
          value={tokenType}
          onChange={({ target }) => onChange({ tokenType: target.value })}
        >
          {tokenTypes.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : null}
      {valueName === undefined ? null : (
        <input
          aria-label={`${name}: ${valueName}`}
          placeholder={type === 'tokenize' ? '{{ token.id }}' : valueName}
          value={value}
          onChange={({ target }) => onChange({ value: target.value })}
        />
      )}
      <IconButton icon={Trash2} label={`Remove ${name.toLowerCase()}`} onClick={onRemove} />
    </div>
  );
}
