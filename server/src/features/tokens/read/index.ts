export { findShownTransform, showFound } from './found-token.ts';
export { type OpenedToken, type TokenOpener, TokenPresenter } from './token-presenter.ts';
export { busyToken, getToken, noSuchToken, TokenService } from './token-service.ts';
