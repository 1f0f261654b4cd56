import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { IconButton } from '../controls/button';
import { openDialog } from './open-dialog';

/** Shows the browser's native dialog, which traps the focus and closes on Escape. */
export function Dialog(dialog: {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** Called when somebody wants to close it with Escape or its button. If it returns false, the dialog stays open. */
  readonly mayClose?: () => boolean;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const isAllowed = useRef(false);
  const titleId = useId();
  useEffect(() => openDialog(element.current), []);
  const allow = () => {
    isAllowed.current = dialog.mayClose?.() ?? true;
    return isAllowed.current;
  };
  return (
    <dialog
      ref={element}
      className={dialog.isWide === true ? 'wide' : undefined}
      onCancel={(event) => {
        if (!allow()) event.preventDefault();
      }}
      onClose={() => {
        // Browsers close a dialog without asking if somebody presses Escape again and does nothing else before.
        if (isAllowed.current || allow()) dialog.onClose();
        else openDialog(element.current);
      }}
      aria-labelledby={titleId}
    >
      <header className="dialog-head">
        <h2 id={titleId} tabIndex={-1}>
          {dialog.title}
        </h2>
        <IconButton
          icon={X}
          isSmall
          label="Close"
          onClick={() => {
            if (allow()) element.current?.close();
          }}
        />
      </header>
      <div className="dialog-body">{dialog.children}</div>
    </dialog>
  );
}

/** Shows the buttons at the end of a dialog. */
export function DialogFoot({ children }: { readonly children: ReactNode }) {
  return <div className="dialog-foot">{children}</div>;
}
