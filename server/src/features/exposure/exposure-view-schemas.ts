import { Type } from 'typebox';
import { transforms } from '../../core/access/access-rule.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { timestamp } from '../../http/parameters/timestamp.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const tally = {
  count: count('The number of records.'),
  first_at: timestamp('Time of the first record.'),
  last_at: timestamp('Time of the last record.'),
};
const names = (description: string) => Type.Array(Type.String(), { description });
const period = {
  start_date: Type.Optional(timestamp('The beginning of the period.')),
  end_date: Type.Optional(timestamp('The end of the period.')),
  kept_since: timestamp('The time of the oldest records that are still kept. The report does not cover earlier ones.'),
};
const outcome = { outcome: Type.String({ description: 'The outcome, such as `success` or `denied`.' }) };
const Shown = Type.Enum([...transforms], {
  description: 'The view that was shown: `reveal` is plaintext, `mask` is masked data, `redact` no data.',
});
const shown = {
  transform: Shown,
  operations: names('What was done with it, such as `read`.'),
  ways: Type.Array(Type.String(), {
    description: 'If not because somebody asked for the token: `view`, `replay` or `duplicate`.',
  }),
  destinations: Type.Array(Type.String(), { description: 'Hosts that plaintext was prepared for.' }),
};
const deed = {
  entity_type: Type.String({ description: 'The type of the entity.' }),
  operation: Type.String({ description: 'What was done, such as `read`.' }),
};

const ExposedToken = Type.Object(
  {
    token_id: Type.String({ description: 'Id of the token.' }),
    token_type: Type.String({ description: '`card`, `bank` or, for all other types, `token`.' }),
    ...shown,
    ...tally,
  },
  { description: 'A token that was shown.' },
);
const ExposedCall = Type.Object(
  {
    destination: Type.Optional(Type.String({ description: 'Host of the destination.' })),
    ...outcome,
    sent: count('How many of the calls carried plaintext.'),
    ...tally,
  },
  { description: 'Proxied calls to one destination.' },
);
const ExposureSearch = Type.Object(
  {
    fields: names('Fields that were asked about; none for a list.'),
    found: count('Tokens in the responses.'),
    missed: count('Searches that found nothing.'),
    missing: count('Values that were asked for and that no token has.'),
    ...tally,
  },
  { description: 'Lists and searches that asked about the same fields.' },
);
const ExposureMiss = Type.Object(
  { ...deed, missing: count('Things that were asked for and do not exist.'), ...tally },
  { description: 'Attempts to access something that does not exist.' },
);
const ExposureDenial = Type.Object({ ...deed, ...tally }, { description: 'Attempts that were denied.' });
const ExposureSession = Type.Object(
  { session_id: Type.String({ description: 'Id of the session.' }), ...tally },
  { description: 'A session that the subject authorized.' },
);
const ExposureGrant = Type.Object(
  { ...deed, entity_id: Type.String({ description: 'Id of the entity.' }), ...tally },
  { description: 'A change that gives others access.' },
);
const ExposureDeed = Type.Object({ ...deed, ...outcome, ...tally }, { description: 'Any other operation.' });
const TokensSeen = Type.Object(
  {
    reveal: count('Tokens whose plaintext was shown.'),
    mask: count('Tokens that were shown masked.'),
    redact: count('Tokens that were shown without data.'),
  },
  { description: 'How many tokens were shown in each way.' },
);

export const ExposureView = Type.Object(
  {
    ...period,
    records: count('Records that were read. Each is counted in exactly one of the lists.'),
    tokens_seen: TokensSeen,
    tokens: Type.Array(ExposedToken, { description: 'Tokens that were shown.' }),
    calls: Type.Array(ExposedCall, { description: 'Proxied calls by destination; an `intent` is their beginning.' }),
    searches: Type.Array(ExposureSearch, { description: 'Lists and searches.' }),
    misses: Type.Array(ExposureMiss, { description: 'Attempts to access something that does not exist.' }),
    denied: Type.Array(ExposureDenial, { description: 'Attempts that were denied.' }),
    sessions: Type.Array(ExposureSession, {
      description: 'Sessions that the subject authorized. To see what they saw, ask by `session_id`.',
    }),
    handed_out: Type.Array(ExposureGrant, {
      description: `Applications, invitations, members, stored proxies and webhooks that the subject created or changed, and those for which it requested
or gave an approval, and exports that it approved. What others saw by them is a question of its own: an application's by
\`application_id\`, an export's tokens by \`/logs/viewers\`.`,
    }),
    others: Type.Array(ExposureDeed, { description: 'All other operations.' }),
  },
  { description: 'What the subject saw and attempted.' },
);

const actor = {
  actor_type: Type.Optional(Type.String({ description: '`application`, `session`, `system` or `user`.' })),
  actor_id: Type.Optional(Type.String({ description: 'Id of the application, session or user.' })),
  key_id: Type.Optional(Type.String({ description: 'Id of the key that was used.' })),
};
const TokenViewer = Type.Object(
  {
    ...actor,
    ...shown,
    exports: names('Ids of exports that the token left with.'),
    source_addresses: names('Addresses of the client.'),
    ...tally,
  },
  { description: 'Somebody who was shown a token.' },
);
const TokenVisitor = Type.Object(
  { ...actor, operation: deed.operation, ...outcome, ...tally },
  { description: 'Somebody who changed a token, or attempted to access it, without being shown it.' },
);

export const ViewersView = Type.Object(
  {
    ...period,
    records: count('Records that were read.'),
    viewers: Type.Array(TokenViewer, { description: 'Everybody who was shown the token.' }),
    others: Type.Array(TokenVisitor, {
      description: 'Everybody who changed the token, or attempted to access it, without being shown it.',
    }),
  },
  { description: 'Everybody who saw the token, and how.' },
);

nameSchemas({ ExposedToken, ExposedCall, ExposureSearch, ExposureMiss, ExposureDenial, ExposureSession, ExposureDeed });
nameSchemas({
  ExposureGrant,
  TokensSeen,
  Exposure: ExposureView,
  TokenViewer,
  TokenVisitor,
  TokenViewers: ViewersView,
});
