import { VaultServer } from '../../src/app/serve/vault-server.ts';
import { Sensitive } from '../../src/core/identity/sensitive.ts';
import type { ServerConfig } from '../../src/platform/config/config.ts';
import { type AwsKmsOptions } from '../../src/platform/keyring/kms/aws/aws-kms-client.ts';
import { AwsKmsRootKey } from '../../src/platform/keyring/kms/aws/aws-kms-root-key.ts';
import { fileRootKeyConfig } from '../../src/platform/keyring/kms/file/file-root-key.ts';
import { slownessOfMachine } from './machine-speed.ts';
import { StatementMeter } from './statement-meter.ts';
import { TurnMeter } from './turn-meter.ts';

/* A server in its own process. It reports the longest turn of its event loop and the longest statement. */

/** The configuration without its root keys, which contain functions and cannot be sent to a process. */
export type MeasuredConfig = Omit<ServerConfig, 'rootKeys'>;

/** The own root key of a tenant in AWS KMS, with its access key as text, because a `Sensitive` cannot be sent either. */
export interface MeasuredOwnKey {
  readonly name: string;
  readonly graceSeconds: number;
  readonly service: Pick<AwsKmsOptions, 'key' | 'region' | 'endpoint' | 'authority'>;
  readonly accessKey: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export type MeasuredOrder =
  | {
      readonly kind: 'start';
      readonly config: MeasuredConfig;
      readonly rootKey: Uint8Array;
      readonly ownKey: MeasuredOwnKey | undefined;
    }
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
      server = await VaultServer.start({ ...order.config, rootKeys: rootKeysOf(order) }, silent);
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

function rootKeysOf({ rootKey, ownKey }: MeasuredOrder & { kind: 'start' }): ServerConfig['rootKeys'] {
  const ofVault = { primary: fileRootKeyConfig(Buffer.from(rootKey)), others: [] };
  if (ownKey === undefined) return ofVault;
  const { name, graceSeconds, service, accessKey } = ownKey;
  const secretAccessKey = new Sensitive(accessKey.secretAccessKey);
  const open = () => AwsKmsRootKey.open({ ...service, accessKey: { ...accessKey, secretAccessKey } });
  return { ...ofVault, own: { keys: new Map([[name, { kind: 'aws-kms', open }]]), graceSeconds } };
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
