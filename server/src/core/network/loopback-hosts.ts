/** The loopback hosts as spelled in a URL. Connections to them never leave the machine. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
