import { availableParallelism, loadavg } from 'node:os';

/** The number of processes per processor at which work still meets its deadlines. */
const expectedLoad = 4;

/** The factor by which deadlines in tests grow on a busy machine. */
export const slowdown = Math.max(1, Math.ceil((loadavg()[0] ?? 0) / (expectedLoad * availableParallelism())));
