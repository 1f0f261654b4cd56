import { type Static, Type } from 'typebox';
import { invalidField } from '../../core/errors/domain-error.ts';
import { parseAddressOrRange } from '../../core/network/address-range.ts';
import { orNull } from '../../http/parameters/optional-schemas.ts';
import { nameSchemas } from '../../http/routes/api-components.ts';
import { callerProofEncodings, callerProofTypes } from '../../platform/keyring/sign-in/caller-proof.ts';
import type { CallerCheck as CallerCheckSetting } from './stored-proxy.ts';
import { parseHeader } from './transform-location.ts';

export const CallerCheck = Type.Object(
  {
    type: Type.Union(
      callerProofTypes.map((type) => Type.Literal(type)),
      { description: 'What the header contains: the secret itself, or the HMAC of the body with it.' },
    ),
    header: Type.String({ maxLength: 100, description: 'The name of the header. It is not passed on.' }),
    secret: Type.String({ maxLength: 100, description: 'The name of the secret in `configuration`.' }),
    encoding: orNull(
      Type.Union(
        callerProofEncodings.map((encoding) => Type.Literal(encoding)),
        { description: 'How an HMAC is written: `hex` by default.' },
      ),
    ),
    prefix: orNull(Type.String({ maxLength: 50, description: 'The text in front of it, such as `sha256=`.' })),
  },
  { description: 'What a caller must prove before anything of its request is read.' },
);

nameSchemas({ ProxyCallerCheck: CallerCheck });

export function toSources(texts: readonly string[]): readonly string[] {
  const wrong = texts.findIndex((text) => parseAddressOrRange(text) === undefined);
  if (wrong < 0) return texts;
  throw invalidField(`allowed_sources.${wrong}`, 'must be an address or a network such as 203.0.113.0/24');
}

export function toCallerCheck(given: Static<typeof CallerCheck> | null | undefined): CallerCheckSetting | null {
  if (given === null || given === undefined) return null;
  const { type, header, secret, encoding, prefix } = given;
  if (parseHeader(header) === undefined) throw invalidField('caller_check.header', 'must be the name of a header');
  if (!/^[\x21-\x7e]*$/.test(prefix ?? ''))
    throw invalidField('caller_check.prefix', 'must consist of printable ASCII characters without spaces');
  return { type, header, secret, encoding: encoding ?? 'hex', prefix: prefix ?? '' };
}
