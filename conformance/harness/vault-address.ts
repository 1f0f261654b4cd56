/** The address and the keys of a vault, as its clients know them, and the settings that its operator knows. */
export interface VaultAddress {
  readonly url: string;
  /** The origin of its card fields. */
  readonly elementsUrl: string;
  readonly tenantId: string;
  readonly keys: {
    /** This key has every permission on tokens. Reads are masked. */
    readonly private: string;
    /** This key has the same permissions, with a rule that reveals plaintext. */
    readonly reveal: string;
    /** This key may only create tokens. */
    readonly public: string;
    /** This key has every permission on the tenant, but none on tokens. */
    readonly management: string;
  };
  /** The settings that the program was started with, for further commands on the same vault. */
  readonly settings: Readonly<Record<string, string>> & { readonly STRONGROOM_DATABASE_URL: string };
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The vault for all tests except those of limits. Its limits are too high to be reached. */
    readonly vault: VaultAddress;
    /** A vault with default limits. Each test uses its own address in X-Forwarded-For. */
    readonly limitedVault: VaultAddress;
    /** The URL that returns the mails sent by the limited vault. */
    readonly mailboxUrl: string;
    /** The URL of a service behind the proxy that returns the request it received. */
    readonly destinationUrl: string;
  }
}
