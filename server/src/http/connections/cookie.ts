/** Returns the value of a cookie, or undefined if there is none, or more than one with that name. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}

/**
 * Returns a cookie that scripts cannot read, that is sent only over encrypted connections, and that no other host can
 * set. The prefix makes browsers enforce that. `Strict` cookies are never sent with navigation from another site.
 */
export function writeCookie(
  name: `__Host-${string}`,
  value: string,
  options: { readonly maxAgeSeconds: number; readonly sameSite: 'Strict' | 'Lax' },
): string {
  return `${name}=${value}; Path=/; Max-Age=${options.maxAgeSeconds}; HttpOnly; Secure; SameSite=${options.sameSite}`;
}
