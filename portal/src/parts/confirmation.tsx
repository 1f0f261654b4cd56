import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from './dialog';
import { Failure } from './states';

/** Asks for confirmation of an action that cannot be undone. `children` describe the action. */
export function Confirmation<Result>(confirmation: {
  readonly title: string;
  /** The text of the button. */
  readonly action: string;
  readonly work: UseMutationResult<Result, Error, void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { title, action, work, onClose, children } = confirmation;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {work.error === null ? null : <Failure error={work.error} />}
      <div className="actions">
        <button type="button" className="danger" disabled={work.isPending} onClick={() => work.mutate()}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
