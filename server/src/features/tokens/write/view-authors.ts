import { maySeePlaintext } from '../../../core/sight/view-authorship.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { Identity, KeyCaller } from '../../../core/identity/caller.ts';
import type { ApplicationId, TenantId } from '../../../core/identity/ids.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { StoredRemainder } from '../../../core/merge-patch/stored-remainder.ts';
import { finish } from '../../../core/steps/steps.ts';
import { getTokenType } from '../../../core/token-types/token-type-catalog.ts';
import { type StoredToken, type ViewAuthors, type ViewName, viewNames } from '../model/token.ts';
import type { TokenDraft } from './token-draft.ts';
import type { ExpressionTexts } from '../model/token-expressions.ts';
import type { TokenPatch } from '../model/token-request.ts';
import { storedTexts } from './token-patch.ts';

/**
 * A caller that supplies data may supply any view of it, because the view shows only data that the caller already
 * knows. The view stays when others write new data, and then it shows their data. Therefore a view is kept only if its
 * author may see the plaintext anyway.
 */

type Rights = Pick<Identity, 'grants' | 'applicationType' | 'allowedDestinations'>;

/** A source of the current rights of an application, or undefined if it no longer exists. */
export interface RightsSource {
  find(tenantId: TenantId, applicationId: ApplicationId): Promise<Rights | undefined>;
}

/**
 * Returns the authors to store for the views of a new token. A session is never stored as an author, because it ends
 * within a day.
 */
export function authorsOf(caller: KeyCaller, { texts, containers }: TokenDraft, id?: string): ViewAuthors {
  const target = id === undefined ? { containers } : { id, containers };
  const views = viewNames.filter((name) => tellsSomething(texts, name));
  if (views.length === 0 || caller.session !== undefined || !maySeePlaintext(caller, target)) return {};
  return Object.fromEntries(views.map((name) => [name, caller.applicationId]));
}

/**
 * Does the same as `authorsOf` for a token of an operator. It is only for views that the operator has checked: a file
 * does not say who wrote the views in it.
 */
export function authorsOfOperator({ texts }: TokenDraft): ViewAuthors {
  return Object.fromEntries(viewNames.filter((name) => tellsSomething(texts, name)).map((name) => [name, null]));
}

/**
 * Returns the authors to store for the views of a token after a patch. The caller is the author of views in the patch.
 */
export function authorsAfter(
  caller: KeyCaller,
  { token, draft, patch }: { token: StoredToken; draft: TokenDraft; patch: TokenPatch },
): ViewAuthors {
  const own = authorsOf(caller, draft, token.id);
  const isKept = (name: ViewName) => patch[name] === undefined;
  const isOwn = (name: ViewName) => !isKept(name) && !(name === 'mask' && keepsMaskOfOthers(caller, token, patch.mask));
  return { ...pick(token.viewAuthors, viewNames.filter(isKept)), ...pick(own, viewNames.filter(isOwn)) };
}

/**
 * Returns the token without the views that must not see the data in a patch. These are views whose author could not see
 * the plaintext, or no longer can, in the token's current or new containers. They are replaced by the default views of
 * the type.
 */
export async function withoutPlantedViews(
  rights: RightsSource,
  caller: KeyCaller,
  token: StoredToken,
  patch: TokenPatch,
): Promise<StoredToken> {
  if (!writesSeenData(token, patch)) return token;
  const given = listGivenViews(token);
  const vouching = await findVouching(rights, caller, token, patch);
  const planted = given.filter((name) => !vouching.has(token.viewAuthors[name]));
  if (planted.length === 0) return token;
  const kept = viewNames.filter((name) => !planted.includes(name));
  return {
    ...token,
    ...Object.fromEntries(planted.map((name) => [name, null])),
    viewAuthors: pick(token.viewAuthors, kept),
  };
}

/**
 * Throws if the views of a token could show what is typed into card fields. A script on the page may have chosen the
 * token, and no frame can check its views before the data is written.
 */
export function requireViewsOfType(token: StoredToken, patch: TokenPatch): void {
  if (!writesSeenData(token, patch) || listGivenViews(token).length === 0) return;
  throw new DomainError(
    'forbidden',
    'Card fields only change tokens that have the mask, search_indexes and fingerprint_expression of their type. Change this one from your server, or create a new token.',
  );
}

/** Returns the explicitly supplied views of a token that reveal something about its data. */
function listGivenViews(token: StoredToken): ViewName[] {
  const texts = storedTexts(token);
  return viewNames.filter((name) => tellsSomething(texts, name));
}

/** Returns whether a patch writes data that views can read. They never read a card verification code. */
function writesSeenData({ type }: StoredToken, { data }: TokenPatch): boolean {
  if (data === undefined) return false;
  const change = data.reveal();
  return type !== 'card' || !isJsonObject(change) || Object.keys(change).some((name) => name !== 'cvc');
}

/**
 * Returns the authors that may see the token now, both in its current containers and in those that the patch moves it
 * to. An operator always may.
 */
async function findVouching(
  rights: RightsSource,
  caller: KeyCaller,
  token: StoredToken,
  patch: TokenPatch,
): Promise<ReadonlySet<string | null | undefined>> {
  const authors = [...new Set(Object.values(token.viewAuthors))];
  const goes = patch.containers === null ? getTokenType(token).defaultContainers : patch.containers;
  const places = [token.containers, goes ?? token.containers];
  const isVouching = await Promise.all(
    authors.map(async (author) => {
      if (author === null) return true;
      const isOwn = author === caller.applicationId && caller.session === undefined;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Only application ids are stored.
      const holder = isOwn ? caller : await rights.find(token.tenantId, author as ApplicationId);
      return (
        holder !== undefined && places.every((containers) => maySeePlaintext(holder, { id: token.id, containers }))
      );
    }),
  );
  return new Set(authors.filter((_, index) => isVouching[index] === true));
}

/**
 * Returns whether the patched mask still contains parts from another author. Masks are merged, and no author is stored
 * for a mask that several callers have written.
 */
function keepsMaskOfOthers(caller: KeyCaller, token: StoredToken, patch: JsonValue | undefined): boolean {
  if (token.viewAuthors.mask === caller.applicationId) return false;
  const { mask } = storedTexts(token);
  if (mask === undefined || mask === null) return false;
  return patch === undefined || finish(new StoredRemainder(mask, patch).isLeft());
}

function pick(authors: ViewAuthors, names: readonly ViewName[]): ViewAuthors {
  return Object.fromEntries(
    names.flatMap((name) => (authors[name] === undefined ? [] : [[name, authors[name]] as const])),
  );
}

/** Returns false for the default of the type and for a view that shows nothing. */
function tellsSomething({ mask, searchIndexes, fingerprintExpression }: ExpressionTexts, name: ViewName): boolean {
  switch (name) {
    case 'mask':
      return mask !== undefined && mask !== null;
    case 'searchIndexes':
      return searchIndexes !== undefined && searchIndexes.length > 0;
    case 'fingerprintExpression':
      return fingerprintExpression !== undefined;
  }
}
