const slots = 64;
const ownSlot = Math.floor(Math.random() * slots);

/**
 * Returns the counter row to add to. Servers and concurrent batches use different rows, so that none waits for another.
 */
export function countSlot(offset = 0): number {
  return (ownSlot + offset) % slots;
}
