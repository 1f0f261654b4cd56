import type { RootKeyConfig } from '../../keyring/kms/open-root-key.ts';
import type { RootKey } from '../../keyring/kms/root-key.ts';
import { mapped } from '../reading.ts';
import type { Reading } from '../setting.ts';

/** Reads the options of a root key. `open` loads the code of its service, so that only those load it who configure it. */
export function rootKeyReading<Options extends object>(
  kind: string,
  options: Reading<Options>,
  open: (options: Options) => Promise<RootKey>,
): Reading<Options & RootKeyConfig> {
  const service = {
    kind,
    open(this: Options) {
      return open(this);
    },
  };
  return mapped(options, (read) => Object.freeze({ ...read, ...service }));
}
