import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../../parts/overlay/dialog';
import { allPlaces } from './places';

/** Milliseconds within which the second key must follow. */
const pauseMax = 1_500;
const asked = 'strongroom-shortcuts';

/** Opens the list of keys. */
export function showShortcuts(): void {
  document.dispatchEvent(new Event(asked));
}

/** Handles the keyboard shortcuts of every page, and lists them on request. */
export function Shortcuts() {
  const [isShown, setShown] = useState(false);
  const navigate = useNavigate();
  const wentAt = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') setShown(true);
      if (event.key === '/') focusSearch(event);
      if (event.key === 'g') wentAt.current = event.timeStamp;
      const place = allPlaces.find(({ key }) => key === event.key);
      if (place !== undefined && event.timeStamp - wentAt.current < pauseMax && wentAt.current > 0) {
        wentAt.current = 0;
        void navigate({ to: place.to });
      }
    };
    const show = () => setShown(true);
    document.addEventListener('keydown', onKey);
    document.addEventListener(asked, show);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener(asked, show);
    };
  }, [navigate]);
  if (!isShown) return null;
  return (
    <Dialog title="Keys" onClose={() => setShown(false)}>
      <dl className="facts">
        {allPlaces.map(({ key, label }) => (
          <Shortcut key={key} keys={['g', key]} does={label} />
        ))}
        <Shortcut keys={['Ctrl', 'K']} does="Find anything" />
        <Shortcut keys={['/']} does="Search on this page" />
        <Shortcut keys={['Esc']} does="Close what is open" />
        <Shortcut keys={['?']} does="This list" />
      </dl>
    </Dialog>
  );
}

function Shortcut({ keys, does }: { readonly keys: readonly string[]; readonly does: string }) {
  return (
    <>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  if (field === null) return;
  event.preventDefault();
  field.focus();
}
