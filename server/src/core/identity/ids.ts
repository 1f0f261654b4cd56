declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Ids are branded so that the compiler catches ids that are easily swapped in a call. */
export type TenantId = Branded<'tenant'>;
export type ApplicationId = Branded<'application'>;
export type ApplicationKeyId = Branded<'application-key'>;
export type TokenId = Branded<'token'>;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** Works like `isUuid`, for callers that know the kind of id. */
export function isId<Id extends string>(text: string): text is Id {
  return isUuid(text);
}

/** Brands an id that was created here or comes from our own tables. Anything else is a broken invariant. */
export function toId<Id extends string>(text: string): Id {
  if (!isId<Id>(text)) throw new TypeError('An id must be a UUID.');
  return text;
}

/** Parses a tenant id that comes from our own tables or command line. Anything else is a broken invariant. */
export function parseTenantId(text: string): TenantId {
  const id = text.toLowerCase();
  if (!isId<TenantId>(id)) throw new TypeError('A tenant id must be a UUID.');
  return id;
}
