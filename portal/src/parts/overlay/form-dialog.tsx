import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogFoot } from './dialog';
import { LeaveGuard } from './leave-guard';

/** Shows a form in a dialog, which asks before it is closed with unsaved edits. */
export function FormDialog(dialog: {
  readonly title: ReactNode;
  /** The text of the button that saves. */
  readonly action: ReactNode;
  readonly isChanged: boolean;
  readonly isSaving: boolean;
  /** False if there is nothing to save, or something is missing. */
  readonly maySave?: boolean;
  readonly onSave: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { title, action, isChanged, isSaving, maySave = true, onSave, onClose, children } = dialog;
  const [isAsking, setAsking] = useState(false);
  const mayClose = () => {
    if (isChanged) setAsking(true);
    return !isChanged;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <>
      <Dialog title={title} mayClose={mayClose} onClose={onClose}>
        <form className="stack" onSubmit={submit}>
          {children}
          <DialogFoot>
            <Button
              onClick={() => {
                if (mayClose()) onClose();
              }}
            >
              Cancel
            </Button>
            <Button type="submit" kind="main" disabled={isSaving || !maySave}>
              {action}
            </Button>
          </DialogFoot>
        </form>
      </Dialog>
      <LeaveGuard isChanged={isChanged} mayLeave={() => isSaving} />
      {isAsking ? (
        <Dialog title="Close without saving?" onClose={() => setAsking(false)}>
          <p>What you edited is not saved, and will be lost.</p>
          <DialogFoot>
            <Button onClick={() => setAsking(false)}>Keep editing</Button>
            <Button kind="bad" onClick={onClose}>
              Close and lose the edits
            </Button>
          </DialogFoot>
        </Dialog>
      ) : null}
    </>
  );
}
