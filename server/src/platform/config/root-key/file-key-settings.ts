import { FileRootKey, parseRootKey } from '../../keyring/kms/file/file-root-key.ts';
import { group, optional, setting } from '../reading.ts';
import { rootKeyReading } from './root-key-reading.ts';
import type { Setting } from '../setting.ts';

const key = setting('STRONGROOM_ROOT_KEY', parseRootKey, {
  expectation:
    '32 random bytes as base64 or hexadecimal, to be kept as long as the data; or a key in an HSM or key service instead',
  // The example is a command, not a key. Otherwise somebody might copy it and use a key that is public.
  example: '$(openssl rand -base64 32)',
  secret: 'credential',
  otherwise: 'required, unless another root key is configured',
});
const previousKey = setting('STRONGROOM_PREVIOUS_ROOT_KEY', parseRootKey, {
  expectation: 'the root key that STRONGROOM_ROOT_KEY replaces, until all keys are rewrapped',
  example: '"$(cat previous-root-key)"',
  secret: 'credential',
  otherwise: 'none',
});

/** A root key in a variable or a file. */
export const fileKey = keyIn(key);
export const previousFileKey = optional(keyIn(previousKey));

function keyIn(text: Setting<Buffer>) {
  return rootKeyReading('file', group({ key: text }), async (options) => new FileRootKey(options.key));
}
