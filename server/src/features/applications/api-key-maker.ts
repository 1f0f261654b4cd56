import type { ApplicationType } from '../../core/access/permission.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { generateApiKey, type KeyKind } from '../../platform/keyring/api-key.ts';
import type { SystemKeys } from '../../platform/keyring/system-keys.ts';
import type { Application, NewApplicationKey } from './application.ts';
import { ApplicationKeyStore } from './application-key-store.ts';
import { ApplicationStore } from './application-store.ts';

const kinds: Readonly<Record<ApplicationType, KeyKind>> = { private: 'pvt', public: 'pub', management: 'mgt' };

/** Creates application keys: the text is returned once, the hash is stored. */
export class ApiKeyMaker {
  readonly #systemKeys: SystemKeys;

  constructor(systemKeys: SystemKeys) {
    this.#systemKeys = systemKeys;
  }

  async make(tx: Transaction, application: Application, createdBy: string | null): Promise<NewApplicationKey> {
    const environment = await new ApplicationStore(tx, application.tenantId).keyEnvironment();
    const key = generateApiKey(environment, kinds[application.type]);
    const stored = await new ApplicationKeyStore(tx, application.tenantId).insert({
      id: key.id,
      applicationId: application.id,
      secretHash: this.#systemKeys.hashCredential(key.secret),
      createdBy,
    });
    return { ...stored, text: key.text };
  }
}
