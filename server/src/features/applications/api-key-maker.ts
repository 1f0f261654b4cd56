import type { ApplicationType } from '../../core/access/permission.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { generateApiKey, type KeyKind } from '../../platform/keyring/sign-in/api-key.ts';
import type { SystemKeys } from '../../platform/keyring/keys/system-keys.ts';
import type { Authority } from '../members/index.ts';
import type { Application, NewApplicationKey } from './application.ts';
import { ApplicationKeyStore } from './application-key-store.ts';
import { ApplicationStore } from './application-store.ts';

const kinds: Readonly<Record<ApplicationType, KeyKind>> = { private: 'pvt', public: 'pub', management: 'mgt' };

/** The issuer of a key, and the authority that the issuer acts on. */
interface Issuer {
  readonly createdBy: string | null;
  readonly authority: Authority;
}

/** Creates application keys. The text of a key is returned once; only its hash is stored. */
export class ApiKeyMaker {
  readonly #systemKeys: SystemKeys;
  readonly #cell: string | undefined;

  constructor(systemKeys: SystemKeys, cell: string | undefined) {
    this.#systemKeys = systemKeys;
    this.#cell = cell;
  }

  make(tx: Transaction, application: Application, issuer: Issuer): Promise<NewApplicationKey> {
    return this.#make(tx, application, { ...issuer, isPending: false });
  }

  /** Creates a key that is rejected until it is approved. Its text is returned now because it cannot be shown later. */
  makePending(tx: Transaction, application: Application, issuer: Issuer): Promise<NewApplicationKey> {
    return this.#make(tx, application, { ...issuer, isPending: true });
  }

  async #make(
    tx: Transaction,
    application: Application,
    { createdBy, authority, isPending }: Issuer & { readonly isPending: boolean },
  ): Promise<NewApplicationKey> {
    const environment = await new ApplicationStore(tx, application.tenantId).keyEnvironment();
    const key = generateApiKey(environment, kinds[application.type], this.#cell);
    const secretHash = this.#systemKeys.hashCredential(key.secret);
    // This is the hash of a discarded secret, so that servers that do not know about pending keys cannot accept this
    // key.
    const unusable = () => this.#systemKeys.hashCredential(generateApiKey(environment, kinds[application.type]).secret);
    const stored = await new ApplicationKeyStore(tx, application.tenantId).insert({
      id: key.id,
      applicationId: application.id,
      secretHash: isPending ? unusable() : secretHash,
      pendingHash: isPending ? secretHash : null,
      createdBy,
      authority,
    });
    return { ...stored, text: key.text };
  }
}
