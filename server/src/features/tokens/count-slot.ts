const slots = 64;

/** Servers add to different rows of the counters, so that none waits for another. */
export const countSlot = Math.floor(Math.random() * slots);
