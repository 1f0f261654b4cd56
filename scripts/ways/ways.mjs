// For each of four requests, the files that a value passes through, in order. A short text describes what happens in
// each file.

export const ways = {
  create: {
    title: '`POST /tokens`',
    stations: [
      ['http/edge/edge.ts', 'counted, timed, traced'],
      ['http/callers/authentication.ts', 'key becomes caller'],
      ['http/bodies/body.ts', 'body becomes JSON'],
      ['features/tokens/token-routes.ts', 'checked against its schema'],
      ['features/tokens/model/token-schemas.ts', 'TokenRequest: its data is wrapped'],
      ['features/tokens/write/token-creator.ts', 'the steps'],
      ['features/tokens/write/token-draft.ts', 'TokenDraft: validated, compiled'],
      ['core/access/decide-access.ts', 'allowed, and how much is shown'],
      ['features/tokens/write/token-sealer.ts', 'SealedToken: plaintext ends here'],
      ['features/tokens/write/token-insert.ts', 'TokenInsert: with its record'],
      ['features/tokens/write/token-insert-store.ts', 'InsertRow: batched and committed'],
      ['features/tokens/read/token-presenter.ts', 'VisibleToken'],
      ['features/tokens/model/token-json.ts', 'JSON text'],
    ],
  },
  get: {
    title: '`GET /tokens/{id}`',
    stations: [
      ['http/edge/edge.ts', 'counted, timed, traced'],
      ['http/callers/authentication.ts', 'key becomes caller'],
      ['features/tokens/token-routes.ts', 'checked against its schema'],
      ['features/tokens/read/token-service.ts', 'the steps'],
      ['core/access/decide-access.ts', 'allowed, and how much is shown'],
      ['features/tokens/read/token-read-store.ts', 'found and recorded in one statement'],
      ['features/tokens/read/token-presenter.ts', 'opened: VisibleToken'],
      ['platform/keyring/keys/tenant-keyring.ts', 'the keys of the tenant'],
      ['features/tokens/model/token-json.ts', 'JSON text'],
    ],
  },
  list: {
    title: '`GET /v2/tokens` and `POST /v2/tokens/search`',
    stations: [
      ['features/tokens/query/token-list-routes.ts', 'checked against its schema'],
      ['features/tokens/query/token-list-query.ts', 'filters become a query'],
      ['features/tokens/query/token-finder.ts', 'the steps'],
      ['core/sight/visible-query.ts', 'narrowed to what the caller sees'],
      ['features/tokens/query/token-list-lanes.ts', 'a few at a time, then recorded'],
      ['features/tokens/query/token-page.ts', 'one page'],
      ['features/tokens/query/token-query-store.ts', 'SQL'],
      ['features/tokens/read/token-presenter.ts', 'opened: VisibleToken'],
      ['features/tokens/model/token-json.ts', 'JSON text'],
    ],
  },
  proxy: {
    title: '`POST /proxy`',
    stations: [
      ['features/proxy/proxy-routes.ts', 'taken as it is'],
      ['features/proxy/proxy-service.ts', 'the stages'],
      ['features/proxy/proxy-target.ts', 'target, with references'],
      ['features/proxy/forwarded-headers.ts', 'headers, with references'],
      ['features/proxy/proxy-body.ts', 'body, with references'],
      ['features/proxy/proxy-call-store.ts', 'recorded before it leaves'],
      ['platform/outbound/outbound.ts', 'the only way out'],
      ['platform/outbound/destination-url.ts', 'URL judged'],
      ['platform/outbound/address-guard.ts', 'address judged'],
      ['platform/outbound/destination-connection.ts', 'connected, name proven'],
      ['platform/outbound/destination-exchange.ts', 'sent and received'],
      ['features/proxy/response-headers.ts', 'headers for the caller'],
    ],
  },
};

/** The types that a value passes through in a create, in order, each with the file that defines it. */
export const shapes = [
  ['CreateToken', 'features/tokens/model/token-schemas.ts'],
  ['TokenRequest', 'features/tokens/model/token-request.ts'],
  ['TokenDraft', 'features/tokens/write/token-draft.ts'],
  ['SealedToken', 'features/tokens/model/token.ts'],
  ['TokenInsert', 'features/tokens/write/token-insert.ts'],
  ['InsertRow', 'features/tokens/write/token-insert-sql.ts'],
  ['StoredToken', 'features/tokens/model/token.ts'],
  ['VisibleToken', 'features/tokens/model/token.ts'],
];
