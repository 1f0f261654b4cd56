declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Branded so that the compiler catches ids that are easily swapped in a call. */
export type TenantId = Branded<'tenant'>;
export type ApplicationId = Branded<'application'>;
export type ApplicationKeyId = Branded<'application-key'>;
export type TokenId = Branded<'token'>;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** Parses a tenant id from our own tables or command line; anything else is a broken invariant. */
export function parseTenantId(text: string): TenantId {
  if (!isUuid(text)) throw new TypeError('A tenant id must be a UUID.');
  return text.toLowerCase() as TenantId;
}
