/** The value of a cookie; undefined where there is none, or more than one of that name. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}

/**
 * A cookie that scripts cannot read, that is sent over encrypted connections only, and that no other host can set for us:
 * the prefix makes browsers insist on it. `strict` is never sent along when another site leads here.
 */
export function writeCookie(
  name: `__Host-${string}`,
  value: string,
  options: { readonly maxAgeSeconds: number; readonly sameSite: 'Strict' | 'Lax' },
): string {
  return `${name}=${value}; Path=/; Max-Age=${options.maxAgeSeconds}; HttpOnly; Secure; SameSite=${options.sameSite}`;
}
