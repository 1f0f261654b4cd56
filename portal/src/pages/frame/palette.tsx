import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Search } from 'lucide-react';
import { Icon } from '../../parts/icon';
import { openDialog } from '../../parts/overlay/open-dialog';
import { type Choice, narrow } from './choices';
import { useChoices } from './use-choices';

const asked = 'strongroom-palette';

/** Opens the palette. */
export function showPalette(): void {
  document.dispatchEvent(new Event(asked));
}

/** Opens with Ctrl K on every page: goes to pages, applications and members, starts actions, and finds what is pasted. */
export function Palette() {
  // A page that the vault renders has no palette, and comes here for it.
  const [isOpen, setOpen] = useState(() => location.hash === '#find');
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setOpen((was) => was || document.querySelector('dialog:modal') === null);
    };
    const show = () => setOpen(true);
    document.addEventListener('keydown', onKey);
    document.addEventListener(asked, show);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener(asked, show);
    };
  }, []);
  return isOpen ? <OpenPalette onClose={() => setOpen(false)} /> : null;
}

function OpenPalette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const listId = useId();
  useEffect(() => openDialog(dialog.current), []);
  const { known, find } = useChoices(text);
  const fitting = narrow(known, text);
  const groups = find.choices.length === 0 ? fitting : [...fitting, find];
  const choices = groups.flatMap((group) => group.choices);
  const current = choices[Math.min(at, choices.length - 1)];
  const idOf = (choice: Choice) => `${listId}-${choices.indexOf(choice)}`;
  const run = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    dialog.current?.close();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (event.key === 'Enter') run(current);
    if (step === 0 && event.key !== 'Enter') return;
    event.preventDefault();
    if (step !== 0) setAt((Math.min(at, choices.length - 1) + step + choices.length) % choices.length);
  };
  useEffect(() => {
    if (current !== undefined) document.getElementById(idOf(current))?.scrollIntoView({ block: 'nearest' });
  });
  return (
    <dialog ref={dialog} className="palette" aria-label="Find anything" onClose={onClose}>
      <div className="palette-input">
        <Icon of={Search} />
        <input
          role="combobox"
          aria-label="Find anything"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={current === undefined ? undefined : idOf(current)}
          autoComplete="off"
          spellCheck={false}
          maxLength={1_000}
          placeholder="A page, an application, or paste an id, an e-mail address, a trace id …"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className="palette-list" id={listId} role="listbox" aria-label="Choices">
        {groups.map(({ title, choices: shown }) => (
          <div key={title} role="group" aria-label={title}>
            <p className="palette-group" aria-hidden="true">
              {title}
            </p>
            {shown.map((choice) => (
              <div
                key={choice.id}
                id={idOf(choice)}
                role="option"
                tabIndex={-1}
                aria-selected={choice === current}
                className="option"
                onPointerMove={() => setAt(choices.indexOf(choice))}
                onClick={() => run(choice)}
                onKeyDown={onKeyDown}
              >
                <Icon of={choice.icon} />
                <span className="option-label">{choice.label}</span>
                {choice.note === undefined ? null : <span className="tail">{choice.note}</span>}
              </div>
            ))}
          </div>
        ))}
      </div>
      <p className="palette-foot">
        <span>
          <kbd>↑</kbd>
          <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>Esc</kbd> close
        </span>
      </p>
    </dialog>
  );
}
