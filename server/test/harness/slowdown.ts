import { availableParallelism, loadavg } from 'node:os';

/** With so many processes for each processor, work still takes no longer than a deadline allows. */
const expectedLoad = 4;

/** How many times longer than usual a test waits before it gives up: the more, the busier the machine is. */
export const slowdown = Math.max(1, Math.ceil((loadavg()[0] ?? 0) / (expectedLoad * availableParallelism())));
