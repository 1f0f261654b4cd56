import type { EventType } from 'strongroom-elements';

/** The events that wrappers pass on. */
export const eventTypes = [
  'ready',
  'change',
  'focus',
  'blur',
  'keydown',
  'click',
  'copy',
] as const satisfies readonly EventType[];
