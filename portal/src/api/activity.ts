/** Shared by the tabs of a browser, which share the session. */
const storageKey = 'strongroom.active';
/** How often at most the time is written: a moving pointer reports a hundred events a second. */
const noteEveryMs = 1_000;

const events = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;
let notedAt = 0;

/** Notes when somebody touches the page. Opening it counts as well. */
export function watchActivity(): void {
  note();
  for (const event of events) document.addEventListener(event, noteNowAndThen, { capture: true, passive: true });
}

/** How long nobody has touched any tab of the portal. */
export function idleSeconds(): number {
  const at = Math.max(notedAt, Number(localStorage.getItem(storageKey) ?? 0) || 0);
  return Math.max(0, Math.floor((Date.now() - at) / 1_000));
}

function noteNowAndThen(): void {
  if (Date.now() - notedAt >= noteEveryMs) note();
}

function note(): void {
  notedAt = Date.now();
  localStorage.setItem(storageKey, String(notedAt));
}
