/**
 * A cookie that scripts cannot read, that is sent only over encrypted connections, and that no other host can set. The
 * prefix makes browsers enforce that. `Strict` cookies are never sent with navigation from another site.
 *
 * Safari does not keep such cookies for http://localhost. There, a plain one must do: nobody else reads what a machine
 * sends to itself.
 */
export class Cookie {
  readonly #name: string;
  readonly #attributes: string;
  readonly #maxAgeSeconds: number;

  constructor(options: {
    readonly name: string;
    readonly maxAgeSeconds: number;
    readonly sameSite: 'Strict' | 'Lax';
    readonly isSecure: boolean;
  }) {
    this.#name = options.isSecure ? `__Host-${options.name}` : options.name;
    this.#attributes = `HttpOnly;${options.isSecure ? ' Secure;' : ''} SameSite=${options.sameSite}`;
    this.#maxAgeSeconds = options.maxAgeSeconds;
  }

  /** Returns the value in a `Cookie` header, or undefined if there is none, or more than one. */
  read(header: string | undefined): string | undefined {
    return readCookie(header, this.#name);
  }

  /** Returns a `Set-Cookie` header. */
  write(value: string): string {
    return this.#write(value, this.#maxAgeSeconds);
  }

  /** Returns a `Set-Cookie` header that removes the cookie. */
  remove(): string {
    return this.#write('', 0);
  }

  #write(value: string, maxAgeSeconds: number): string {
    return `${this.#name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; ${this.#attributes}`;
  }
}

function readCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}
