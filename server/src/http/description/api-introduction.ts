/** The first page of the reference, in Markdown. It covers what applies to every operation. */
export const introduction = `Strongroom stores cards, bank accounts and personal data as tokens, and gives out ids and masked views in their place.

## A first request

Store a card with the key of a private application. The response contains the token's id and its masked data.

\`\`\`sh
curl "$STRONGROOM_URL/tokens" \\
  --header "BT-API-KEY: $STRONGROOM_KEY" \\
  --header 'Content-Type: application/json' \\
  --data '{
    "type": "card",
    "data": {
      "number": "4242424242424242",
      "expiration_month": 12,
      "expiration_year": 2030
    }
  }'
\`\`\`

## Keys

Every request carries a key in the \`BT-API-KEY\` header. The key belongs to an application, and each operation names the
permission that the application needs.

- **Private** applications belong on servers: they store, read and use tokens.
- **Public** applications can be put in web pages and apps: they create tokens and sessions, and read nothing.
- **Management** applications manage the tenant: applications, members and the audit log. They cannot access tokens.

A plain permission shows masked data. Only an access rule with the transform \`reveal\` shows plaintext.

## Errors

An error is \`application/problem+json\` (RFC 9457). \`type\` is the path of a page that says what happened and what to do,
and never changes; \`errors\` lists what is wrong with each field. A message never repeats a submitted or stored value.
The response header \`BT-TRACE-ID\` identifies the request in the server's log; you can choose it by sending one.

A member of a body whose name closely resembles a known one is rejected as a spelling mistake; other unknown members are ignored.
Unknown query parameters are rejected.

## Repeating requests

Send \`BT-IDEMPOTENCY-KEY\` with a request that must not be carried out twice. If a request with the same key has succeeded in the last
24 hours, you get its result and nothing is done again.

## Pages

Lists return \`pagination\` and \`data\`, newest first. Number pages with \`page\` and \`size\`, or follow \`next\` by sending it as
\`start\`; following \`next\` costs the same on every page.

## Rate limits

Requests are counted per client address. Who exceeds a limit gets 429 for 10 seconds, with the seconds to wait in \`Retry-After\`.
`;
