import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Button, IconButton } from '../controls/button';
import { Icon } from '../icon';

/** A short message about what was done. An error is never shown in a toast alone. */
interface ToastText {
  readonly text: ReactNode;
  readonly tone?: 'good' | 'bad';
  /** Undoes what was done, or leads to it. */
  readonly action?: { readonly label: string; readonly onPress: () => void };
}

interface ShownToast extends ToastText {
  readonly id: number;
}

const shownMs = 8_000;
const shownMax = 3;

const ToastContext = createContext<(toast: ToastText) => void>(() => undefined);

/** Returns a function that confirms what was done, at the foot of the window. */
export function useToast(): (toast: ToastText) => void {
  return use(ToastContext);
}

/** Shows the messages of everything inside it. They outlive the page that sent them. */
export function Toaster({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([]);
  const lastId = useRef(0);
  const show = useCallback((toast: ToastText) => {
    lastId.current += 1;
    const shown = { ...toast, id: lastId.current };
    setToasts((others) => [...others, shown].slice(-shownMax));
  }, []);
  const hide = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), []);
  return (
    <ToastContext value={useMemo(() => show, [show])}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map((toast) => (
          <Toast key={toast.id} toast={toast} onHide={() => hide(toast.id)} />
        ))}
      </div>
    </ToastContext>
  );
}

/** Shows one message. It stays while somebody points at it or has focused a button in it. */
function Toast({ toast, onHide }: { readonly toast: ShownToast; readonly onHide: () => void }) {
  const { text, tone = 'good', action } = toast;
  const [isHeld, setHeld] = useState(false);
  const hide = useRef(onHide);
  hide.current = onHide;
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => hide.current(), shownMs);
    return () => clearTimeout(timer);
  }, [isHeld]);
  return (
    <div
      className={tone === 'bad' ? 'toast toast-bad' : 'toast'}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon of={tone === 'bad' ? CircleAlert : CircleCheck} />
      <span>{text}</span>
      {action === undefined ? null : (
        <Button
          isSmall
          onClick={() => {
            action.onPress();
            onHide();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon={X} isSmall label="Dismiss" onClick={onHide} />
    </div>
  );
}
