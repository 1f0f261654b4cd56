/** All tabs of a browser share this entry because they share the session. */
const storageKey = 'strongroom.active';
/** The shortest interval between two writes. A moving pointer reports a hundred events per second. */
const noteEveryMs = 1_000;

const events = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;
let notedAt = 0;

/** Records when somebody last used the page. Opening the page counts as use. */
export function watchActivity(): void {
  note();
  for (const event of events) document.addEventListener(event, noteNowAndThen, { capture: true, passive: true });
}

/** Returns the seconds since any tab of the portal was last used. */
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
