import { VaultServer } from '../../src/app/serve/vault-server.ts';
import type { ServerConfig } from '../../src/platform/config/config.ts';
import { fileRootKeyConfig } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { slownessOfMachine } from './machine-speed.ts';
import { StatementMeter } from './statement-meter.ts';
import { TurnMeter } from './turn-meter.ts';

/* A server in its own process. It reports the longest turn of its event loop and the longest statement. */

/** The configuration without its root keys, which contain functions and cannot be sent to a process. */
export type MeasuredConfig = Omit<ServerConfig, 'rootKeys'>;

export type MeasuredOrder =
  | { readonly kind: 'start'; readonly config: MeasuredConfig; readonly rootKey: Uint8Array }
  | { readonly kind: 'begin' }
  | { readonly kind: 'end' }
  | { readonly kind: 'slowness' }
  | { readonly kind: 'stop' };

const meter = new TurnMeter();
const statements = new StatementMeter();
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let server: VaultServer | undefined;

async function obey(order: MeasuredOrder): Promise<unknown> {
  switch (order.kind) {
    case 'start':
      server = await VaultServer.start({ ...order.config, rootKeys: rootKeysOf(order.rootKey) }, silent);
      return server.url;
    case 'begin':
      statements.begin();
      return meter.begin();
    case 'end':
      return { ...meter.end(), ...statements.end() };
    case 'slowness':
      return slownessOfMachine();
    case 'stop':
      await server?.stop();
      process.disconnect();
      return undefined;
  }
}

function rootKeysOf(key: Uint8Array): ServerConfig['rootKeys'] {
  return { primary: fileRootKeyConfig(Buffer.from(key)), others: [] };
}

// The process exits with its parent, so an aborted test leaves no process behind.
process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  const { number, order } = message as { number: number; order: MeasuredOrder };
  void obey(order).then(
    (answer) => process.connected && process.send?.({ number, answer }),
    (error: unknown) => process.connected && process.send?.({ number, error: String(error) }),
  );
});
