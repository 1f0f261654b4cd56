import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Field } from './field';
import { Failure } from './states';

/** Removes a tenant for good. The user has to type its name first. */
export function TypedName<Result>(typed: {
  readonly name: string;
  readonly work: UseMutationResult<Result, Error, string | undefined>;
}) {
  const { name, work } = typed;
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    work.mutate(text);
  };
  return (
    <form onSubmit={submit}>
      <Field
        label="Name of the tenant"
        hint={
          <>
            Type <strong>{name}</strong> to confirm. This cannot be undone.
          </>
        }
      >
        {(ids) => (
          <input
            {...ids}
            value={text}
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {work.error === null ? null : <Failure error={work.error} />}
      <div className="actions">
        <button className="danger" disabled={work.isPending || text !== name}>
          Remove the tenant now
        </button>
      </div>
    </form>
  );
}
