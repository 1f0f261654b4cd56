/** Returns host and port as written in a URL. */
export function toPlace(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
