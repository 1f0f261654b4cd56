export { findShownTransform, showFound } from './found-token.ts';
export type { OpenedToken } from './opened-token.ts';
export { type TokenOpener, TokenPresenter } from './token-presenter.ts';
export { TokenReadStore } from './token-read-store.ts';
export { getToken, noSuchToken, TokenService } from './token-service.ts';
export { untilNotOvertaken } from './until-not-overtaken.ts';
