import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { IconButton } from '../controls/button';
import { openDialog } from './open-dialog';

/**
 * Shows something at the side, in front of the list that it came from. `children` are sections. The arrow keys call
 * `onStep`.
 */
export function Drawer(drawer: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly onClose: () => void;
  readonly onStep?: (step: 1 | -1) => void;
  readonly children: ReactNode;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => openDialog(element.current), []);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- The keys do what the buttons in its head do.
    <dialog
      ref={element}
      className="drawer"
      aria-labelledby={titleId}
      onClose={drawer.onClose}
      onClick={({ target, currentTarget }) => {
        // The backdrop is part of the dialog.
        if (target === currentTarget) currentTarget.close();
      }}
      onKeyDown={({ key, target }) => {
        if (target instanceof HTMLInputElement || target instanceof HTMLPreElement) return;
        if (key === 'ArrowDown') drawer.onStep?.(1);
        if (key === 'ArrowUp') drawer.onStep?.(-1);
      }}
    >
      <header className="drawer-head">
        <h2 id={titleId} tabIndex={-1}>
          {drawer.title}
        </h2>
        {drawer.actions}
        <IconButton icon={X} label="Close" onClick={() => element.current?.close()} />
      </header>
      {drawer.children}
    </dialog>
  );
}
