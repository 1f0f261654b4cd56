import type { ApplicationType } from '../../core/access/permission.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { generateApiKey, type KeyKind } from '../../platform/keyring/sign-in/api-key.ts';
import type { SystemKeys } from '../../platform/keyring/keys/system-keys.ts';
import type { Authority } from '../members/index.ts';
import type { Application, NewApplicationKey } from './application.ts';
import { ApplicationKeyStore } from './application-key-store.ts';
import { ApplicationStore } from './application-store.ts';

const kinds: Readonly<Record<ApplicationType, KeyKind>> = { private: 'pvt', public: 'pub', management: 'mgt' };

/** Who issues a key, and on whose authority. */
interface Issuer {
  readonly createdBy: string | null;
  readonly authority: Authority;
}

/** Creates application keys: the text is returned once, the hash is stored. */
export class ApiKeyMaker {
  readonly #systemKeys: SystemKeys;

  constructor(systemKeys: SystemKeys) {
    this.#systemKeys = systemKeys;
  }

  make(tx: Transaction, application: Application, issuer: Issuer): Promise<NewApplicationKey> {
    return this.#make(tx, application, { ...issuer, isPending: false });
  }

  /** A key that is refused until it is approved. Its text is returned now: nobody could show it later. */
  makePending(tx: Transaction, application: Application, issuer: Issuer): Promise<NewApplicationKey> {
    return this.#make(tx, application, { ...issuer, isPending: true });
  }

  async #make(
    tx: Transaction,
    application: Application,
    { createdBy, authority, isPending }: Issuer & { readonly isPending: boolean },
  ): Promise<NewApplicationKey> {
    const environment = await new ApplicationStore(tx, application.tenantId).keyEnvironment();
    const key = generateApiKey(environment, kinds[application.type]);
    const secretHash = this.#systemKeys.hashCredential(key.secret);
    // Of a secret that is thrown away: servers that know nothing of pending keys cannot accept this one.
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
