import type { ReactNode } from 'react';
import { Button, type ButtonKind } from './button';

/** Shows that a form has unsaved edits, and saves or discards them. It stays visible while the form scrolls. */
export function SaveBar(bar: {
  readonly children: ReactNode;
  /** What the main button does, such as "Save" or "Save and show plaintext". */
  readonly action: string;
  readonly kind?: ButtonKind;
  readonly isBusy: boolean;
  readonly onDiscard: () => void;
}) {
  return (
    <div className="save-bar">
      <p>{bar.children}</p>
      <Button kind="ghost" onClick={bar.onDiscard}>
        Discard
      </Button>
      <Button kind={bar.kind ?? 'main'} type="submit" disabled={bar.isBusy}>
        {bar.action}
      </Button>
    </div>
  );
}
