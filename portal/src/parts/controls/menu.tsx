import { type ReactNode, type ToggleEvent, useId, useRef } from 'react';

const gap = 4;

/**
 * Shows a button that opens a menu, as a native popover: it closes on Escape, on a click outside, and after a choice.
 * `trigger` receives what the button needs, and `children` are links and buttons of the class `item`.
 */
export function Menu(menu: {
  readonly label: string;
  readonly trigger: (attributes: {
    readonly popoverTarget: string;
    readonly type: 'button';
    readonly 'aria-haspopup': 'true';
  }) => ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const place = ({ newState }: ToggleEvent) => {
    const button = document.querySelector(`[popovertarget="${CSS.escape(id)}"]`);
    if (newState !== 'open' || panel.current === null || button === null) return;
    placeAt(panel.current, button.getBoundingClientRect());
    panel.current.querySelector<HTMLElement>('a, button.item')?.focus();
  };
  return (
    <>
      {menu.trigger({ popoverTarget: id, type: 'button', 'aria-haspopup': 'true' })}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events -- It only closes after a choice inside, which is a button or a link. */}
      <div
        ref={panel}
        id={id}
        popover="auto"
        className="menu"
        role="group"
        aria-label={menu.label}
        onToggle={place}
        onKeyDown={({ key, currentTarget }) => moveFocus(currentTarget, key)}
        onClick={({ target, currentTarget }) => {
          if (target instanceof Element && target.closest('a, button.item') !== null) currentTarget.hidePopover();
        }}
      >
        {menu.children}
      </div>
    </>
  );
}

/** Places the panel below its button, or above it if there is no room below, and keeps it inside the window. */
function placeAt(panel: HTMLElement, button: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = panel;
  const left = button.left + width > innerWidth - gap ? button.right - width : button.left;
  const below = button.bottom + gap;
  const top = below + height > innerHeight - gap ? button.top - gap - height : below;
  panel.style.left = `${Math.max(gap, left)}px`;
  panel.style.top = `${Math.max(gap, top)}px`;
}

function moveFocus(panel: HTMLElement, key: string): void {
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const items = [...panel.querySelectorAll<HTMLElement>('a, button.item')];
  const at = items.findIndex((item) => item === document.activeElement);
  items.at((at + step) % items.length)?.focus();
}
