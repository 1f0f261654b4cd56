import { type ReactNode, useId } from 'react';

/** Shows a labelled input with a hint and its errors. `children` receives the ids that connect them. */
export function Field(field: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly errors?: readonly string[] | undefined;
  readonly children: (ids: { readonly id: string; readonly 'aria-describedby': string }) => ReactNode;
}) {
  const id = useId();
  const noteId = `${id}-note`;
  const errors = field.errors ?? [];
  return (
    <div className="field">
      <label htmlFor={id}>{field.label}</label>
      {field.children({ id, 'aria-describedby': noteId })}
      <div id={noteId}>
        {field.hint === undefined ? null : <p className="note">{field.hint}</p>}
        {errors.map((error) => (
          <p key={error} className="field-error" role="alert">
            {error}
          </p>
        ))}
      </div>
    </div>
  );
}
