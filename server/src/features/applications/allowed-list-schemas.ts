import { Type } from 'typebox';
import { parseDestinationEntry } from '../../core/destinations/destination-list.ts';
import { invalidField } from '../../core/errors/domain-error.ts';
import { parseOriginEntry } from '../../core/origins/origin-entry.ts';

const entryLengthMax = 255;
const destinationsMax = 100;
const originsMax = 50;

export const AllowedDestinations = Type.Array(Type.String({ maxLength: entryLengthMax }), {
  maxItems: destinationsMax,
  description:
    'Hosts that the proxy may call for this application: exact names, or *.example.com for any single label in place of the asterisk. Without a list, any public host is allowed; an empty list allows none.',
});

export const AllowedOrigins = Type.Array(Type.String({ maxLength: entryLengthMax }), {
  maxItems: originsMax,
  description:
    'Origins of the pages that may use the keys and sessions of this public application, such as https://shop.example: exact, with https, or with http on localhost, 127.0.0.1 or [::1]. Requests from pages of other origins are 403. Without a list, pages of any origin may use them; an empty list allows none.',
});

export function toDestinationEntry(text: string, index: number): string {
  const entry = parseDestinationEntry(text);
  if (entry !== undefined) return entry;
  throw invalidField(`allowed_destinations.${index}`, 'must be a host name, optionally preceded by *.');
}

export function toOriginEntry(text: string, index: number): string {
  const entry = parseOriginEntry(text);
  if (entry !== undefined) return entry;
  throw invalidField(
    `allowed_origins.${index}`,
    'must be an origin such as https://shop.example, without a path; http is only for localhost, 127.0.0.1 and [::1]',
  );
}
