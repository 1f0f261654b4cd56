import { randomBytes } from 'node:crypto';
import { FileRootKey } from '../../../src/platform/keyring/kms/file/file-root-key.ts';
import type { TestedKeyService } from './tested-key-service.ts';

const inMemory = 'The key is in the memory of the process.';

/** A root key whose bytes are known. It is real: there is no service that anything could happen to. */
export function startFileKey(): TestedKeyService {
  const [key, other] = [randomBytes(32), randomBytes(32)];
  return {
    open: async () => new FileRootKey(key),
    openOther: async () => new FileRootKey(other),
    troubles: {
      disabled: inMemory,
      denied: inMemory,
      gone: inMemory,
      throttled: inMemory,
      slow: inMemory,
      unreachable: inMemory,
    },
    recover: () => undefined,
    rotate: 'Another key is another root key, which STRONGROOM_PREVIOUS_ROOT_KEY is for.',
    secrets: [key.toString('base64'), key.toString('hex')],
    stop: async () => undefined,
  };
}
