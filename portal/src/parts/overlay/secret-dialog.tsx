import { type ReactNode, useState } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogFoot } from './dialog';
import { SecretGuard } from './leave-guard';

/** Shows a secret that is shown only once. Escape does not close it: only the button does, which confirms the copy. */
export function SecretDialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const [isHeld, setHeld] = useState(false);
  const keepOpen = () => {
    setHeld(true);
    return false;
  };
  return (
    <>
      <Dialog title={title} mayClose={keepOpen} onClose={onClose}>
        {children}
        {isHeld ? (
          <p className="banner plain" role="alert">
            This cannot be shown again. Confirm that you have copied it.
          </p>
        ) : null}
        <DialogFoot>
          <Button kind="main" onClick={onClose}>
            I have copied it
          </Button>
        </DialogFoot>
      </Dialog>
      <SecretGuard isHeld />
    </>
  );
}
