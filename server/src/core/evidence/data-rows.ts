import type { ScopeRow } from './scope-row.ts';

const configuration = ['ISO/IEC 27001:2022 A.8.9'];
const cryptography = ['ISO/IEC 27001:2022 A.8.24'];

/** Requirements 1 to 6: systems, stored data, keys and software. */
export const dataRows = [
  {
    id: 'reachability',
    requirements: '1.4.4',
    topic: 'systems that store card data are not directly reachable from untrusted networks',
    vault:
      'needs no more than PostgreSQL, and makes no calls except through the proxy and to what you configure; health and metrics are on a separate port, on loopback',
    yours:
      'network zones, firewalls and their reviews; access to the database and the admin port for the vault alone; [a reverse proxy](guides/reverse-proxy.md) in front',
    withoutFacts: 'the vault cannot see from which networks it can be reached',
  },
  {
    id: 'secure-configuration',
    requirements: '2.2',
    topic: 'secure configuration',
    vault:
      'no default accounts or passwords; settings are checked at start-up, `strongroom doctor` explains what is wrong',
    yours: 'hosts, PostgreSQL, Redis, container platform',
    related: configuration,
  },
  {
    id: 'retention',
    requirements: '3.2.1',
    topic: 'retention and disposal',
    vault:
      '`expires_at` deletes a token within the hour; [retention rules](operate/retention-and-erasure.md) delete by age or last use, by container and type; legal holds keep what must be kept; deleting a tenant destroys its keys after seven days, or at once if the owner gives its name',
    yours:
      'how long you need a card, and setting the rules; legal holds and their end; backups, which hold deleted tokens until they are discarded',
  },
  {
    id: 'verification-codes',
    requirements: '3.3.1.2 and 3.3.2',
    topic: 'verification codes',
    vault:
      'codes are encrypted with keys that exist for an hour and in memory only ([how](security/verification-codes.md))',
    yours:
      'the code must be removed when the payment is authorized, which is usually sooner: remove it with a `PATCH` of `{"data": {"cvc": null}}`; keep no code elsewhere',
  },
  {
    id: 'masked-display',
    requirements: '3.4.1',
    topic: 'masked display',
    vault:
      'masked views by default, with the last four digits of a card; plaintext needs a rule with `reveal`; the portal never shows it',
    yours:
      'who has a business need; masks of your own, which may show BIN and last four at most; your screens and reports',
  },
  {
    id: 'unreadable',
    requirements: '3.5.1',
    topic: 'card numbers unreadable where stored',
    vault: 'AES-256-GCM with a key for each record',
    yours: 'no numbers in metadata, ids and container names, which are not encrypted, nor in any other system',
    related: cryptography,
    withoutFacts: 'no setting changes it; tests of the release show it',
  },
  {
    id: 'keyed-hashes',
    requirements: '3.5.1.1',
    topic: 'hashes of card numbers are keyed',
    vault: 'fingerprints and search terms are HMACs with keys of the tenant',
    yours: 'hashes that you compute yourself',
    related: cryptography,
  },
  {
    id: 'key-protection',
    requirements: '3.6.1 and 3.6.1.2',
    topic: 'protecting keys',
    vault: 'tenant keys are stored only wrapped by a root key, which can be in an HSM or key service',
    yours:
      'where the root key is: a variable or a file next to the database protects little; custodians and their access',
    related: cryptography,
  },
  {
    id: 'key-life',
    requirements: '3.7.1 to 3.7.5',
    topic: 'life cycle of keys',
    vault:
      'random keys of 256 bits; [rotation, re-encryption and destruction](guides/rotate-keys.md) while the vault runs; ages in `strongroom keys list` and metrics',
    yours: 'cryptoperiods, procedures, what to do after a compromise; custodians who accept their role (3.7.8)',
    unchecked: '3.7.3',
    related: cryptography,
  },
  {
    id: 'transmission',
    requirements: '4.2.1',
    topic: 'encryption on public networks',
    vault:
      'the proxy calls over TLS 1.2 or newer with a verified certificate, and refuses anything else unless an operator allows it',
    yours: 'TLS in front of the vault; the inventory of certificates (4.2.1.1)',
    related: cryptography,
  },
  {
    id: 'components',
    requirements: '6.3.2 and 6.3.3',
    topic: 'components and patches',
    vault: 'a list of all packages with each release ([SBOM](releasing.md)); few of them',
    yours: 'reading advisories, upgrading in time, everything under the vault',
    unchecked: '6.3.3',
  },
  {
    id: 'page-scripts',
    requirements: '6.4.3',
    topic: 'scripts of payment pages',
    vault:
      'fields without third-party packages, a manifest of hashes, SRI, strict policies ([Card fields](elements.md#integrity-for-pci-dss-643-and-1161))',
    yours: 'all other scripts of the page: authorization, integrity, inventory',
  },
  {
    id: 'pre-production',
    requirements: '6.5.5',
    topic: 'no live cards in pre-production',
    vault: 'test tenants and example cards with `strongroom dev`',
    yours: 'not copying production data there; [`strongroom export`](guides/move-data.md#export) leaves a record',
    withoutFacts: 'the vault cannot tell a live card from an example',
  },
] as const satisfies readonly ScopeRow[];
