import { maySeePlaintext } from '../../../core/sight/view-authorship.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { Identity, KeyCaller } from '../../../core/identity/caller.ts';
import type { ApplicationId, TenantId } from '../../../core/identity/ids.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { leavesStored } from '../../../core/merge-patch/stored-remainder.ts';
import { getTokenType } from '../../../core/token-types/token-type-catalog.ts';
import { type StoredToken, type ViewAuthors, type ViewName, viewNames } from '../model/token.ts';
import type { TokenDraft } from '../model/token-draft.ts';
import type { ExpressionTexts } from '../model/token-expressions.ts';
import type { TokenPatch } from '../model/token-request.ts';
import { storedTexts } from './token-patch.ts';

/*
 * Whoever supplies data may supply any view of it, since it shows them what they know. The view stays when others write
 * the data, and then it shows what they know. So a view is only kept where its author may see the plaintext anyway.
 */

type Rights = Pick<Identity, 'grants' | 'applicationType'>;

/** What an application may do now; undefined if it is gone. */
export interface RightsSource {
  find(tenantId: TenantId, applicationId: ApplicationId): Promise<Rights | undefined>;
}

/** Who vouches for the views of a new token. A session ends within a day, so it vouches for nothing. */
export function authorsOf(caller: KeyCaller, { texts, containers }: TokenDraft, id?: string): ViewAuthors {
  const target = id === undefined ? { containers } : { id, containers };
  const views = viewNames.filter((name) => tellsSomething(texts, name));
  if (views.length === 0 || caller.session !== undefined || !maySeePlaintext(caller, target)) return {};
  return Object.fromEntries(views.map((name) => [name, caller.applicationId]));
}

/** The same for a token of an operator. */
export function authorsOfOperator({ texts }: TokenDraft): ViewAuthors {
  return Object.fromEntries(viewNames.filter((name) => tellsSomething(texts, name)).map((name) => [name, null]));
}

/** Who vouches for the views of a token after a patch: for those that it brings, the caller. */
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
 * The token without the views that must not see what a patch writes: those of somebody who could not see the plaintext, or
 * no longer can, where the token is or where it goes. In their place are those of the type.
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
 * Throws if the views of a token could show what is typed into card fields. A script on the page may have chosen the token, and no
 * frame can look at its views before the data is written.
 */
export function requireViewsOfType(token: StoredToken, patch: TokenPatch): void {
  if (!writesSeenData(token, patch) || listGivenViews(token).length === 0) return;
  throw new DomainError(
    'forbidden',
    'Card fields only change tokens that have the mask, search_indexes and fingerprint_expression of their type. Change this one from your server, or create a new token.',
  );
}

/** The views that a token was given and that tell something about its data. */
function listGivenViews(token: StoredToken): ViewName[] {
  const texts = storedTexts(token);
  return viewNames.filter((name) => tellsSomething(texts, name));
}

/** Whether a patch writes data that views can read. They never read a card verification code. */
function writesSeenData({ type }: StoredToken, { data }: TokenPatch): boolean {
  if (data === undefined) return false;
  const change = data.reveal();
  return type !== 'card' || !isJsonObject(change) || Object.keys(change).some((name) => name !== 'cvc');
}

/** Those of the authors who may see the token now, where it is and where the patch takes it. An operator always may. */
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
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the ids of applications are stored.
      const holder = isOwn ? caller : await rights.find(token.tenantId, author as ApplicationId);
      return (
        holder !== undefined && places.every((containers) => maySeePlaintext(holder, { id: token.id, containers }))
      );
    }),
  );
  return new Set(authors.filter((_, index) => isVouching[index] === true));
}

/** A mask is merged, so what somebody else has put into it stays. Nobody vouches for what two have made. */
function keepsMaskOfOthers(caller: KeyCaller, token: StoredToken, patch: JsonValue | undefined): boolean {
  if (token.viewAuthors.mask === caller.applicationId) return false;
  const { mask } = storedTexts(token);
  return mask !== undefined && mask !== null && leavesStored(mask, patch);
}

function pick(authors: ViewAuthors, names: readonly ViewName[]): ViewAuthors {
  return Object.fromEntries(
    names.flatMap((name) => (authors[name] === undefined ? [] : [[name, authors[name]] as const])),
  );
}

/** Neither the default of the type, nor one that is there to show nothing. */
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
