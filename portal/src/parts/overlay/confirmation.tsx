import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '../controls/button';
import { Field } from '../controls/field';
import { Failure } from '../page/states';
import { Dialog, DialogFoot } from './dialog';

/**
 * Asks for confirmation of an action that cannot be undone. `children` say what it destroys, in numbers of today, and
 * the button repeats the verb.
 */
export function Confirmation<Result>(confirmation: {
  readonly title: string;
  /** The text of the button. */
  readonly action: string;
  /** The text of the other button. */
  readonly refusal?: string;
  /** A name that has to be typed first. */
  readonly typedName?: string;
  readonly work: UseMutationResult<Result, Error, void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { title, action, refusal = 'Keep it', typedName, work, onClose, children } = confirmation;
  const [text, setText] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {typedName === undefined ? null : (
        <Field
          label={
            <>
              Type <strong>{typedName}</strong> to go on
            </>
          }
        >
          {(ids) => (
            <input
              {...ids}
              value={text}
              autoComplete="off"
              spellCheck={false}
              maxLength={200}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
      )}
      {work.error === null ? null : <Failure error={work.error} />}
      <DialogFoot>
        <Button onClick={onClose}>{refusal}</Button>
        <Button
          kind="bad"
          disabled={work.isPending || (typedName !== undefined && text !== typedName)}
          onClick={() => work.mutate()}
        >
          {action}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
