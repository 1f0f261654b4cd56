import type { Sensitive } from '../../core/identity/sensitive.ts';
import type { TenantId, TokenId } from '../../core/identity/ids.ts';

/** A token as a caller asks for it, checked and with the defaults of its type filled in. */
export interface NewToken {
  readonly id: TokenId;
  readonly type: string;
  /** The JSON text of the data, as it was sent. */
  readonly data: Sensitive<string>;
  readonly containers: readonly string[];
  readonly metadata: Readonly<Record<string, string>> | null;
}

/** A token as the database holds it: the data is sealed. */
export interface StoredToken {
  readonly tenantId: TenantId;
  readonly id: TokenId;
  readonly type: string;
  readonly version: number;
  readonly data: Buffer;
  readonly containers: readonly string[];
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly modifiedBy: string | null;
  readonly modifiedAt: Date | null;
}

/** A token as one caller may see it; `data` is JSON text and absent where the caller may not see any. */
export interface VisibleToken extends Omit<StoredToken, 'data' | 'version'> {
  readonly data: Sensitive<string> | undefined;
}
