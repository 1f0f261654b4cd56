import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Dialog } from './dialog';
import { Failure } from './states';

/** Asks before something is done that cannot be undone. `children` say what that is. */
export function Confirmation<Result>(confirmation: {
  readonly title: string;
  /** What the button says. */
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
