import { requireAccess } from '../../../core/access/decide-access.ts';
import { DomainError } from '../../../core/errors/domain-error.ts';
import type { KeyCaller } from '../../../core/identity/caller.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import { type EncryptedData, parseEncryptedData } from '../../../platform/keyring/client-keys/encrypted-data.ts';
import { mapInTurns } from '../../../platform/waiting/turns.ts';
import type { EncryptedDataOpener } from '../../client-keys/index.ts';
import { intentContainers } from '../intents/index.ts';
import { toDecryptedData } from '../model/decrypted-data.ts';

/** The id in a reference to data that the request contains in encrypted form. */
export const encryptedReference = 'encrypted';

/** Data of a proxied request that a client has encrypted, still as it was sent. */
export interface EncryptedPart {
  /** The name under which the request refers to it. Undefined if it is the only one. */
  readonly name: string | undefined;
  readonly type: string;
  readonly encrypted: string;
}

/**
 * Throws if the caller may not use data of these types. Such data has no containers, so those of its type decide, as for
 * a token intent.
 */
export function requireUse(caller: KeyCaller, parts: readonly EncryptedPart[]): void {
  for (const { type } of parts) requireAccess(caller.grants, 'token:use', { containers: intentContainers(type) });
}

/** Decrypts the parts and returns them as JSON text, in the form `{"type": …, "data": …}`. */
export async function openEncryptedParts(
  opener: EncryptedDataOpener,
  caller: KeyCaller,
  parts: readonly EncryptedPart[],
): Promise<Sensitive<string>> {
  const texts = await opener.openAll(caller.tenantId, parts.map(toEncryptedData));
  const members = await mapInTurns(parts, async ({ name, type }, index) => {
    const text = texts[index];
    if (text === undefined) throw undecryptable();
    const { dataText } = await toDecryptedData(type, text);
    const token = `{"type":${JSON.stringify(type)},"data":${dataText.reveal()}}`;
    return name === undefined ? token : `${JSON.stringify(name)}:${token}`;
  });
  const [only] = parts;
  return new Sensitive(only?.name === undefined ? members.join('') : `{${members.join(',')}}`);
}

function toEncryptedData({ encrypted }: EncryptedPart): EncryptedData {
  const data = parseEncryptedData(encrypted);
  if (data === undefined) throw undecryptable();
  return data;
}

/** Returns the same error for every cause, because a difference would reveal something about keys or data. */
function undecryptable(): DomainError {
  return new DomainError(
    'validation-failed',
    'BT-ENCRYPTED cannot be decrypted: it is not encrypted with ECDH-ES and A256GCM for a client key that exists, or it was changed.',
  );
}
