import type { Application } from '../../api/applications';
import { Field } from '../../parts/controls/field';
import { draftSubject } from './simulator-search';

/** Selects the application whose access is simulated. */
export function SubjectField(field: {
  readonly applications: readonly Application[];
  readonly chosen: string | undefined;
  readonly onChange: (chosen: string) => void;
}) {
  const { applications, chosen = '', onChange } = field;
  const sorted = applications.toSorted((a, b) => a.name.localeCompare(b.name));
  const isListed = chosen === '' || chosen === draftSubject || applications.some(({ id }) => id === chosen);
  return (
    <Field label="Application">
      {(ids) => (
        <select {...ids} value={chosen} onChange={({ target }) => onChange(target.value)}>
          <option value="">Choose one …</option>
          <option value={draftSubject}>A draft that is not saved</option>
          {isListed ? null : <option value={chosen}>{chosen}</option>}
          {sorted.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
