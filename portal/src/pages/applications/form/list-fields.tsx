import { Field } from '../../../parts/controls/field';
import type { DraftEditor } from './application-draft';
import { errorsAt } from './field-errors';

/** Edits the hosts that the proxy may call. */
export function DestinationsField({ draft, onChange, error }: DraftEditor) {
  return (
    <ListField
      name="destinations"
      legend="Where the proxy may send values"
      anyText="Any public host"
      listedText="Only these hosts"
      label="Hosts, one per line"
      hint="Exact names, or *.example.com for one label in place of the asterisk. An empty list allows none."
      errors={errorsAt(error, 'allowed_destinations')}
      hasList={draft.hasDestinations}
      text={draft.destinations}
      onChoose={(hasDestinations) => onChange({ ...draft, hasDestinations })}
      onWrite={(destinations) => onChange({ ...draft, destinations })}
    />
  );
}

/** Edits the origins of pages that may use the keys of a public application. */
export function OriginsField({ draft, onChange, error, isNew = false }: DraftEditor) {
  return (
    <ListField
      name="origins"
      isRequired={isNew}
      legend="Which pages may use its keys"
      anyText="Pages of any origin, but no card fields"
      listedText="Only pages of these origins"
      label="Origins, one per line"
      hint="Such as https://shop.example, with the port if it has one. With none, no page can use its keys."
      errors={errorsAt(error, 'allowed_origins')}
      hasList={draft.hasOrigins}
      text={draft.origins}
      onChoose={(hasOrigins) => onChange({ ...draft, hasOrigins })}
      onWrite={(origins) => onChange({ ...draft, origins })}
    />
  );
}

/** Edits a list. A missing list and an empty list mean opposite things, so the user chooses explicitly. */
function ListField(list: {
  readonly name: string;
  readonly legend: string;
  readonly anyText: string;
  readonly listedText: string;
  readonly label: string;
  readonly hint: string;
  readonly errors: readonly string[];
  readonly isRequired?: boolean;
  readonly hasList: boolean;
  readonly text: string;
  readonly onChoose: (hasList: boolean) => void;
  readonly onWrite: (text: string) => void;
}) {
  const { name, hasList, onChoose, onWrite } = list;
  return (
    <fieldset className="stack">
      <legend>{list.legend}</legend>
      <label className="choice">
        <input type="radio" name={name} checked={!hasList} onChange={() => onChoose(false)} />
        {list.anyText}
      </label>
      <label className="choice">
        <input type="radio" name={name} checked={hasList} onChange={() => onChoose(true)} />
        {list.listedText}
      </label>
      {hasList ? (
        <Field label={list.label} hint={list.hint} errors={list.errors}>
          {(ids) => (
            <textarea
              {...ids}
              className="mono"
              rows={3}
              required={list.isRequired}
              spellCheck={false}
              value={list.text}
              onChange={({ target }) => onWrite(target.value)}
            />
          )}
        </Field>
      ) : null}
    </fieldset>
  );
}
