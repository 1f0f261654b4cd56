import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogFoot } from './dialog';

/**
 * Asks before somebody leaves a page whose form has unsaved edits. Other links of the page open the question; closing the
 * window opens that of the browser. `mayLeave` is called when it happens, so that saving and discarding do not ask.
 */
export function LeaveGuard({
  isChanged,
  mayLeave,
}: {
  readonly isChanged: boolean;
  readonly mayLeave?: () => boolean;
}) {
  return (
    <LeaveQuestion
      title="Leave without saving?"
      stay="Keep editing"
      leave="Leave and lose the edits"
      isNeeded={() => isChanged && mayLeave?.() !== true}
    >
      <p>What you edited on this page is not saved, and will be lost.</p>
    </LeaveQuestion>
  );
}

/** Asks before somebody leaves a page that shows a secret for the only time. */
export function SecretGuard({ isHeld }: { readonly isHeld: boolean }) {
  return (
    <LeaveQuestion
      title="Leave without the secret?"
      stay="Stay here"
      leave="Leave, I have copied it"
      isNeeded={() => isHeld}
    >
      <p>It is shown only now. If you have not copied it, you need to create another one.</p>
    </LeaveQuestion>
  );
}

function LeaveQuestion(question: {
  readonly title: string;
  readonly stay: string;
  readonly leave: string;
  readonly isNeeded: () => boolean;
  readonly children: ReactNode;
}) {
  const { title, stay, leave, isNeeded, children } = question;
  const blocker = useBlocker({ shouldBlockFn: isNeeded, enableBeforeUnload: isNeeded, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog title={title} onClose={blocker.reset}>
      {children}
      <DialogFoot>
        <Button onClick={blocker.reset}>{stay}</Button>
        <Button kind="bad" onClick={blocker.proceed}>
          {leave}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
