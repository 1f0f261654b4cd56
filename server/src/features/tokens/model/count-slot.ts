const slots = 64;
const ownSlot = Math.floor(Math.random() * slots);

/** Servers add to different rows of the counters, and so do batches that are on their way together: none waits for another. */
export function countSlot(offset = 0): number {
  return (ownSlot + offset) % slots;
}
