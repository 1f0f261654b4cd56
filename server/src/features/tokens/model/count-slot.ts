const slots = 64;
/** Behind those of all servers, and of whoever moves tokens. */
const firstJointSlot = 128;
const jointSlots = 64;
const ownSlot = Math.floor(Math.random() * slots);

/** Servers add to different rows of the counters, and so do batches that are on their way together: none waits for another. */
export function countSlot(offset = 0): number {
  return (ownSlot + offset) % slots;
}

/** For what is written on several nodes: it is held until all of them have committed, and nothing else must wait for it. */
export function jointCountSlot(): number {
  return firstJointSlot + Math.floor(Math.random() * jointSlots);
}
