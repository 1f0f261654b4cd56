import { CircleAlert } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Icon } from '../icon';

interface FieldIds {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

/**
 * Shows a labelled input with a hint and its errors, in the words of the vault. `children` receives the attributes that
 * connect them.
 */
export function Field(field: {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly errors?: readonly string[] | undefined;
  readonly children: (ids: FieldIds) => ReactNode;
}) {
  const id = useId();
  const noteId = `${id}-note`;
  const errors = field.errors ?? [];
  return (
    <div className="field">
      <label htmlFor={id}>{field.label}</label>
      {field.children({ id, 'aria-describedby': noteId, 'aria-invalid': errors.length > 0 })}
      <div id={noteId} className="field-notes">
        {field.hint === undefined ? null : <p className="note">{field.hint}</p>}
        <FieldErrors errors={errors} />
      </div>
    </div>
  );
}

export function FieldErrors({ errors }: { readonly errors: readonly string[] }) {
  return errors.map((error) => (
    <p key={error} className="field-error" role="alert">
      <Icon of={CircleAlert} isSmall />
      {error}
    </p>
  ));
}
