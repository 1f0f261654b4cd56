/** Everything that a vault refuses or hides even though `api.md` and the clients would allow it, with the reason. */
export const stricter: readonly { readonly what: string; readonly why: string }[] = [
  {
    what: 'A PATCH that sets `mask`, `search_indexes` or `fingerprint_expression` on stored data needs `reveal` on the token, through a rule for `token:update` or `token:read`. For a private application, a plain `token:update` is enough; `/access/explain` and the audit log count it as access to plaintext.',
    why: 'A view can show everything, so only a caller who may see everything can define one.',
  },
  {
    what: 'When data is written, a `mask`, `search_indexes` or `fingerprint_expression` is replaced by that of the type, unless the application that set it may still see the plaintext of the token. Card fields only update tokens that have the views of their type.',
    why: 'Otherwise a script could prepare a token, and read what others write into it.',
  },
  {
    what: 'Moving a token also needs `token:update` on every container that it leaves, and must not show the caller more of it.',
    why: 'Otherwise, moving a token out of a container would escape its rules.',
  },
  {
    what: 'A rule that grants `token:use` with a transform other than `reveal` is 400; if such a rule is already stored, using it is 403.',
    why: 'The proxy sends plaintext. Sending a masked number to a payment provider is useless.',
  },
  {
    what: 'Authorizing a session with more access than the authorizer has is 403, and the message names what is missing.',
    why: 'If access were silently reduced, you would only find out in production.',
  },
  {
    what: 'A session ends with the key that authorized it, and its rules have at most 400 conditions together.',
    why: 'Revoking a key must end everything that it handed out, and each condition costs every search.',
  },
  {
    what: 'In card fields, `proxy.*` needs a session that was authorized by an application with `allowed_destinations`; otherwise it is 403.',
    why: 'A script of the page chooses the destination, and could send the cards of its session to itself.',
  },
  {
    what: "In card fields, `searchIndexes` only name whole members without filters, a token has only members of the API, and references in `proxy.*` only name a token or a member of it (`{{ <id> | json: '$.number' }}`).",
    why: 'An expression that fails for some values would tell a script of the page what was typed.',
  },
  {
    what: 'An application with `allowed_destinations` is told that an expression of a proxied request failed over a value, but not which one or why.',
    why: 'Ten expressions that each fail for one digit would tell the digit at once.',
  },
  {
    what: 'A session that card fields have created works on their origin only. `origin: "elements"` in `sessions.authorize` accepts no other.',
    why: 'A nonce does not say where its session was created: a script in the page could create one itself and read what fields keep from it.',
  },
  {
    what: 'In a tenant with the setting `approve_plaintext`, what widens access to plaintext is 202 with `approval` instead of 200 or 201, and takes effect once it is approved. Off by default.',
    why: 'One person alone could otherwise give themselves every card.',
  },
  {
    what: 'Under `redact`, nothing derived from data is shown: no evaluated mask, no `card` or `bank` details, no fingerprint.',
    why: 'The default mask of a card shows its last four digits and its expiry.',
  },
  {
    what: '`token_intent_id`, `encrypted` or another `type` in a PATCH are 400.',
    why: 'Ignoring them would store something else than was meant.',
  },
  {
    what: 'A caller that sends `encrypted` or `token_intent_id` without the right to see the plaintext gets masked data back, and can only set views that show at most four characters.',
    why: 'It may not know what somebody else has encrypted, and must not find out by storing it.',
  },
  {
    what: 'A token intent that becomes a token in other containers than those of its type also needs `token:update` on these.',
    why: 'It would otherwise be moved to a container where keys that never saw it can read it.',
  },
  {
    what: 'A `cvc` that does not have the length of its card brand is 400: four digits for American Express, three for all others.',
    why: 'Every payment provider would decline it, and only after the customer has left.',
  },
  {
    what: 'Fingerprints are never shown to public and session keys, or under `redact`; `fingerprint_visibility: reveal` also hides them from masked views. Search terms and filters on content match only tokens whose content the caller can see; with `fingerprint_visibility: reveal`, only tokens that the caller sees as plaintext.',
    why: 'Fingerprints and searches can be used to test guesses, and a masked card leaves few candidates.',
  },
  {
    what: 'A `fingerprint_expression` that does not read `data` is 400, and only tokens with the same fingerprint expression are duplicates.',
    why: 'With a constant expression, any token could pass for any other.',
  },
  {
    what: 'A deduplicated create returns a token written by a public or session key, or by an application that may not write to all containers, only if it has the same containers and mask and lives at least as long; with `update_existing`, the containers must match for any token. Otherwise, a new token is created.',
    why: 'Anyone can have such a key and could plant tokens for values that others will store.',
  },
  {
    what: 'With `fingerprint_visibility: reveal`, only a caller with a rule that reveals can deduplicate: for others, `deduplicate_token: true` is 403 and the tenant setting does not apply.',
    why: 'Receiving an existing token confirms a guess of its content.',
  },
  {
    what: 'For the key of a public application, the body is part of the idempotency key. A request whose result the database did not confirm is not repeated under the same key: a retry is 409.',
    why: 'Visitors of a page share the key and must not get tokens of other visitors. A retry must not store a value twice.',
  },
  {
    what: 'A repeated request with `BT-IDEMPOTENCY-KEY` returns the result as the caller may see it now: 403 or 404 if the permission or the resource is gone.',
    why: 'A stored response would outlive permissions and tokens.',
  },
  {
    what: 'The default mask of a type hides a value completely if the value is no longer than the part that the mask reveals.',
    why: 'A four-digit account number would otherwise be shown in full.',
  },
  {
    what: 'A request has one budget: 1,000 token references, 60,000 metadata pairs and search indexes, 8 Mi characters read by expressions, 4 Mi characters inserted by references, 100,000 JSON values. Beyond it, the response is 400.',
    why: 'One request must not block all others.',
  },
  {
    what: 'A numbered page with more than 8 MiB of data is 400 (cursor pages end early instead), and so are detokenize, proxy and deduplication on tokens with more than 8 MiB in total.',
    why: 'Pages are limited in bytes so that no tenant occupies the database for seconds.',
  },
  {
    what: 'A tenant has at most 100,000 combinations of type and containers, of which public and session keys can add 1,000 per day (both limits are settings).',
    why: 'Each combination makes every list slower.',
  },
  {
    what: 'The containers of one token have at most 1,000 characters together. Beyond it: 400.',
    why: 'They share an index entry with the id, which PostgreSQL limits in bytes.',
  },
  {
    what: 'Unknown query parameters of lists, searches and logs are 400. So are body members whose name is almost a known one.',
    why: 'A filter or container that is ignored shows or stores more than was meant.',
  },
  {
    what: 'Two `Host` headers, an invalid one, or a target on another host are 400. Bodies slower than 64 KiB in 5 s get 408; more than 16 MiB of unfinished bodies from one client get 503.',
    why: 'Two readers must not disagree about a request, and memory is bounded.',
  },
  {
    what: 'When several tenants are active, expensive work of one tenant (large tokens, long lists, bulk tokenization beyond about a fifth of a processor) waits and can get 503 with `Retry-After`. Responses of more than 64 KiB that a client does not read are dropped.',
    why: 'One tenant or client must not starve the others.',
  },
];
