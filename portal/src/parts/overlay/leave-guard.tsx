import { useBlocker } from '@tanstack/react-router';
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
  const blocks = () => isChanged && mayLeave?.() !== true;
  const blocker = useBlocker({ shouldBlockFn: blocks, enableBeforeUnload: blocks, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog title="Leave without saving?" onClose={blocker.reset}>
      <p>What you edited on this page is not saved, and will be lost.</p>
      <DialogFoot>
        <Button onClick={blocker.reset}>Keep editing</Button>
        <Button kind="bad" onClick={blocker.proceed}>
          Leave and lose the edits
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
