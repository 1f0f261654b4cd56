import { aliasCard, aliasPreserveFormat, aliasPreserveLength } from './alias-filters.ts';
import { cardBin, cardExp } from './card-filters.ts';
import { stringify, toBoolean, toNumber, toText } from './cast-filters.ts';
import { hmac, toBase16, toBase64 } from './digest-filters.ts';
import type { Filter } from './filter.ts';
import { json } from './json-filter.ts';
import { first, last, slice, split } from './list-filters.ts';
import { cardMask, reveal, revealLast } from './mask-filters.ts';
import { append, downcase, last4, padLeft, padRight, prepend, remove, replace, upcase } from './text-filters.ts';

/**
 * The filters by name. This is a Map and not an object, so that a name in an expression cannot find inherited
 * properties.
 */
export const filterCatalog: ReadonlyMap<string, Filter> = new Map([
  ['alias_card', aliasCard],
  ['alias_preserve_format', aliasPreserveFormat],
  ['alias_preserve_length', aliasPreserveLength],
  ['append', append],
  ['card_bin', cardBin],
  ['card_exp', cardExp],
  ['card_mask', cardMask],
  ['downcase', downcase],
  ['first', first],
  ['hmac', hmac],
  ['json', json],
  ['json_stringify', stringify],
  ['last', last],
  ['last4', last4],
  ['pad_left', padLeft],
  ['pad_right', padRight],
  ['prepend', prepend],
  ['remove', remove],
  ['replace', replace],
  ['reveal', reveal],
  ['reveal_last', revealLast],
  ['slice', slice],
  ['split', split],
  ['stringify', stringify],
  ['to_base16', toBase16],
  ['to_base64', toBase64],
  ['to_boolean', toBoolean],
  ['to_number', toNumber],
  ['to_string', toText],
  ['upcase', upcase],
]);
