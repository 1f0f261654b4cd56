/** Where a vault is and what opens it: all that a client of it knows, and what an operator knows besides. */
export interface VaultAddress {
  readonly url: string;
  /** The origin of its card fields. */
  readonly elementsUrl: string;
  readonly tenantId: string;
  readonly keys: {
    /** Every permission on tokens; reads are masked. */
    readonly private: string;
    /** The same with a rule that shows plaintext. */
    readonly reveal: string;
    /** May create tokens only. */
    readonly public: string;
    /** Every permission on the tenant, none on tokens. */
    readonly management: string;
  };
  /** What the program was started with, for further commands on the same vault. */
  readonly settings: Readonly<Record<string, string>> & { readonly STRONGROOM_DATABASE_URL: string };
}

declare module 'vitest' {
  interface ProvidedContext {
    /** For everything but limits: those are beyond reach here. */
    readonly vault: VaultAddress;
    /** Limits as they are out of the box. Each test claims an address of its own with X-Forwarded-For. */
    readonly limitedVault: VaultAddress;
    /** Address that answers with the mails that the limited vault has sent. */
    readonly mailboxUrl: string;
    /** Address of a service behind the proxy that answers with what it was sent. */
    readonly destinationUrl: string;
  }
}
