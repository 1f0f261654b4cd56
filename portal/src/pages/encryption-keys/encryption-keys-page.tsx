import { Page } from '../../parts/page';

export function EncryptionKeysPage() {
  return <Page title="Encryption keys">{null}</Page>;
}
