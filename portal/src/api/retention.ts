import { api, fetchPortal, type Schemas, unwrap } from './client';

export type RetentionRule = Schemas['RetentionRule'];
export type RuleWish = Schemas['RetentionRuleWish'];
export type LegalHold = Schemas['LegalHold'];
export type HoldWish = Schemas['CreateLegalHoldRequest'];
export type Erasure = Schemas['Erasure'];
export type Selection = Schemas['CreateErasureRequest'];

/** The erasures that the portal shows. The newest ones are what people look for. */
export const erasuresShown = 20;

const at = (id: string) => ({ params: { path: { id } } });

export const listRules = () => unwrap(api.GET('/retention-rules'));
export const previewRule = (body: RuleWish) => unwrap(api.POST('/retention-rules/preview', { body }));
export const createRule = (wish: RuleWish, confirmed: number) =>
  unwrap(api.POST('/retention-rules', { body: { ...wish, confirmed_tokens: confirmed } }));
export const deleteRule = (id: string) => unwrap(api.DELETE('/retention-rules/{id}', at(id)));

export const listHolds = () => unwrap(api.GET('/legal-holds'));
export const createHold = (body: HoldWish) => unwrap(api.POST('/legal-holds', { body }));
export const liftHold = (id: string) => unwrap(api.POST('/legal-holds/{id}/lift', at(id)));

export const listErasures = () => unwrap(api.GET('/erasures', { params: { query: { size: erasuresShown } } }));
export const createErasure = (body: Selection) => unwrap(api.POST('/erasures', { body }));
export const confirmErasure = (id: string, confirmed: number) =>
  unwrap(api.POST('/erasures/{id}/confirm', { ...at(id), body: { confirmed_tokens: confirmed } }));
export const cancelErasure = (id: string) => unwrap(api.POST('/erasures/{id}/cancel', at(id)));
export const downloadReceipt = async (id: string) => (await fetchPortal(`/erasures/${id}/receipt`)).blob();
