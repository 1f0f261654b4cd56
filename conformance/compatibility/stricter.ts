/** What a vault refuses or hides although `api.md` and the clients would let it pass, and why. */
export const stricter: readonly { readonly what: string; readonly why: string }[] = [
  {
    what: 'PATCH of `mask`, `search_indexes` or `fingerprint_expression` over stored data needs `reveal` on the token, by a rule for `token:update` or `token:read`. A plain `token:update` of a private application is enough; `/access/explain` and the audit log count it as access to plaintext.',
    why: 'A view can show everything, so its author must be allowed to see everything.',
  },
  {
    what: 'Moving a token needs `token:update` on every container that it leaves, too, and must not show its mover more of it.',
    why: 'Leaving a container would otherwise escape its rules.',
  },
  {
    what: 'A rule that pairs `token:use` with another transform than `reveal` is 400; a stored one gets 403 when it is used.',
    why: 'The proxy sends plaintext. A masked number sent to a payment provider helps nobody.',
  },
  {
    what: 'Authorizing a session with more than the authorizer has is 403 and names what is missing.',
    why: 'Rights that are granted silently smaller are found out in production.',
  },
  {
    what: 'Public and session keys see no fingerprint, and nobody does under `redact`; `fingerprint_visibility: reveal` hides it from masked views as well. Search terms and filters about content match only tokens that show that content to the caller.',
    why: 'Fingerprints and searches test guesses, and a masked card leaves few to test.',
  },
  {
    what: 'A `fingerprint_expression` that reads nothing of `data` is 400, and only tokens fingerprinted by the same expression are duplicates.',
    why: 'A constant would let one token stand for any other.',
  },
  {
    what: 'A token that a public or session key has written stands for a deduplicated create only if it is in the same containers, under the same mask and lives as long; with `update_existing` the containers must be the same for any token. Otherwise a new token is created.',
    why: 'Anybody can hold such a key, and could plant tokens for values that others will store.',
  },
  {
    what: 'With `fingerprint_visibility: reveal` only a caller whose rule reveals can deduplicate: `deduplicate_token: true` is 403 for others, and the tenant setting does not apply to them.',
    why: 'Being given an existing token tells that its content was guessed.',
  },
  {
    what: 'For the key of a public application the body is part of what `BT-IDEMPOTENCY-KEY` stands for. A request whose outcome the database did not confirm is not done again under its key: the repetition is 409.',
    why: 'Visitors of one page share the key and must not get the token of another. A retry must not store a value twice.',
  },
  {
    what: 'A repeated request with `BT-IDEMPOTENCY-KEY` shows the result as the caller may see it now: 403 or 404 if the right or the thing is gone.',
    why: 'A stored response would outlive rights and tokens.',
  },
  {
    what: 'The default mask of a type hides a value whole that is not longer than what it would reveal.',
    why: 'A masked account number of four digits was shown whole.',
  },
  {
    what: 'A request has one budget: 1,000 references to tokens, 60,000 metadata pairs and search indexes, 8 Mi characters read by expressions, 4 Mi characters put in by references, 100,000 JSON values. Beyond it: 400.',
    why: 'One request must not occupy the server at the expense of all others.',
  },
  {
    what: 'A numbered page with more than 8 MiB of data is 400 (cursor pages end early instead), and so are detokenize, proxy and deduplication over tokens with more than 8 MiB together.',
    why: 'Pages have a bound in bytes, so that no tenant holds the database for seconds.',
  },
  {
    what: 'A tenant has at most 100,000 combinations of type and containers, of which public and session keys add 1,000 a day at most (both are settings).',
    why: 'Each combination costs every list something.',
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
    what: 'Two `Host` headers, an invalid one, or a target for another host are 400. Bodies slower than 64 KiB in 5 s get 408; more than 16 MiB of unfinished bodies of one client get 503.',
    why: 'Two readers must not disagree about a request, and memory is bounded.',
  },
  {
    what: 'Heavy work of one tenant beside others (large tokens, long lists, bulk tokenization beyond about a fifth of a processor) waits and can be 503 with `Retry-After`. Responses of more than 64 KiB that a client does not read are dropped.',
    why: 'One tenant or client must not take the server from the others.',
  },
];
