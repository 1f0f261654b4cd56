import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { IconButton } from '../controls/button';
import { openDialog } from './open-dialog';

/** Shows the browser's native dialog, which traps the focus and closes on Escape. */
export function Dialog(dialog: {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => openDialog(element.current), []);
  return (
    <dialog
      ref={element}
      className={dialog.isWide === true ? 'wide' : undefined}
      onClose={dialog.onClose}
      aria-labelledby={titleId}
    >
      <header className="dialog-head">
        <h2 id={titleId} tabIndex={-1}>
          {dialog.title}
        </h2>
        <IconButton icon={X} isSmall label="Close" onClick={() => element.current?.close()} />
      </header>
      <div className="dialog-body">{dialog.children}</div>
    </dialog>
  );
}

/** Shows the buttons at the end of a dialog. */
export function DialogFoot({ children }: { readonly children: ReactNode }) {
  return <div className="dialog-foot">{children}</div>;
}
