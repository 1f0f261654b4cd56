/** Hosts that no connection leaves the machine for, as a URL spells them. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
