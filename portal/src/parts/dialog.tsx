import { type ReactNode, useEffect, useRef } from 'react';

/** Shows the browser's native dialog, which traps the focus and closes on Escape. */
export function Dialog(dialog: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog
      ref={element}
      className={dialog.isWide === true ? 'wide' : undefined}
      onClose={dialog.onClose}
      aria-labelledby="dialog-title"
    >
      <header className="dialog-head">
        <h2 id="dialog-title">{dialog.title}</h2>
        <button type="button" className="quiet" onClick={() => element.current?.close()}>
          Close
        </button>
      </header>
      {dialog.children}
    </dialog>
  );
}
