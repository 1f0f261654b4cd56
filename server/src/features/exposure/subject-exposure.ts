import { type Transform, transforms } from '../../core/access/access-rule.ts';
import type { AuditDetails } from '../../platform/audit/record/audit-event.ts';
import type { Log } from '../logs/index.ts';
import { parseDetails, parseTransform, tokenKinds } from './log-content.ts';
import { NameCount, Tallies, type Tally } from './tally.ts';

/** A token that was shown with one transform. */
export interface TokenLine {
  readonly tokenId: string;
  readonly tokenType: string;
  readonly transform: Transform;
  readonly operations: Set<string>;
  readonly ways: Set<string>;
  readonly destinations: Set<string>;
}

/** Proxied calls to a destination that ended the same way. */
export interface CallLine {
  readonly destination: string | null;
  readonly outcome: string;
  /** The number of calls that sent plaintext. */
  sent: number;
}

export interface SearchLine {
  readonly fields: readonly string[];
  /** The number of tokens in the responses of all searches. */
  found: number;
  /** The number of searches that found nothing. */
  missed: number;
  /** The number of searched values that no token has. */
  missing: number;
}

export interface MissLine {
  readonly entityType: string;
  readonly operation: string;
  /** The number of requested objects that do not exist. */
  missing: number;
}

/**
 * Something that gave others access, or was meant to, such as an application, an invitation, a stored proxy or a
 * webhook.
 */
export interface GrantLine {
  readonly entityType: string;
  readonly entityId: string;
  readonly operation: string;
}

export interface DeedLine {
  readonly entityType: string;
  readonly operation: string;
  readonly outcome: string;
}

/** The exposure of one subject. Every record is counted in exactly one of the lists. */
export interface SubjectExposure {
  readonly records: number;
  readonly tokens: readonly (TokenLine & Tally)[];
  readonly calls: readonly (CallLine & Tally)[];
  readonly searches: readonly (SearchLine & Tally)[];
  readonly misses: readonly (MissLine & Tally)[];
  readonly denied: readonly (Omit<DeedLine, 'outcome'> & Tally)[];
  readonly sessions: readonly ({ readonly sessionId: string } & Tally)[];
  readonly handedOut: readonly (GrantLine & Tally)[];
  readonly others: readonly (DeedLine & Tally)[];
}

/** Events by which a subject gives access to others. The exposure of those others is reported separately. */
const givesAccess: ReadonlySet<string> = new Set([
  'application create',
  'application update',
  'export approve',
  'invitation create',
  'invitation issue_link',
  'invitation resend',
  'member update',
  'proxy create',
  'proxy update',
  // The receiver learns ids, and goes on learning them when the key that made the webhook is gone.
  'webhook create',
  'webhook update',
  // If approvals are required, the record of the change itself names only the last person who approved it.
  ...['application', 'invitation', 'member'].flatMap((entity) => [`${entity} request`, `${entity} approve`]),
]);

/** Counts what one subject did and saw, record by record. */
export class SubjectExposureTally {
  readonly #tokens = new Tallies<TokenLine>();
  readonly #calls = new Tallies<CallLine>();
  readonly #searches = new Tallies<SearchLine>();
  readonly #misses = new Tallies<MissLine>();
  readonly #denied = new Tallies<Omit<DeedLine, 'outcome'>>();
  readonly #sessions = new Tallies<{ readonly sessionId: string }>();
  readonly #handedOut = new Tallies<GrantLine>();
  readonly #others = new Tallies<DeedLine>();
  readonly #names = new NameCount();
  #records = 0;

  /** The size of the lists that have no limit of their own. */
  get size(): number {
    return this.#tokens.size + this.#calls.size + this.#sessions.size + this.#handedOut.size + this.#names.total;
  }

  /** Adds a record. Returns true because every record counts. */
  add(log: Log): boolean {
    this.#records += 1;
    this.#count(log);
    return true;
  }

  #count(log: Log): void {
    const { entityType, entityId, operation, outcome, createdAt: at } = log;
    const transform = parseTransform(log.transform);
    const details = parseDetails(log.details);
    if (outcome === 'denied') {
      this.#denied.count([entityType, operation], at, () => ({ entityType, operation }));
    } else if (tokenKinds.has(entityType) && transform !== undefined) {
      this.#addToken(log, transform, details);
    } else if (operation === 'search') {
      this.#addSearch(log, details);
    } else if (outcome === 'missed') {
      const line = this.#misses.count([entityType, operation], at, () => ({ entityType, operation, missing: 0 }));
      line.missing += details.missing ?? 1;
    } else if (entityType === 'proxy' && operation === 'invoke') {
      const { destination } = log;
      const line = this.#calls.count([destination, outcome], at, () => ({ destination, outcome, sent: 0 }));
      line.sent += transform === 'reveal' ? 1 : 0;
    } else if (entityType === 'session' && operation === 'authorize') {
      this.#sessions.count([entityId], at, () => ({ sessionId: entityId }));
    } else if (outcome === 'success' && givesAccess.has(`${entityType} ${operation}`)) {
      const name = [entityType, entityId, operation];
      this.#handedOut.count(name, at, () => ({ entityType, entityId, operation }));
    } else {
      this.#others.count([entityType, operation, outcome], at, () => ({ entityType, operation, outcome }));
    }
  }

  toExposure(): SubjectExposure {
    return {
      records: this.#records,
      tokens: this.#tokens.list().toSorted((a, b) => transforms.indexOf(b.transform) - transforms.indexOf(a.transform)),
      calls: this.#calls.list(),
      searches: this.#searches.list(),
      misses: this.#misses.list(),
      denied: this.#denied.list(),
      sessions: this.#sessions.list(),
      handedOut: this.#handedOut.list(),
      others: this.#others.list(),
    };
  }

  #addToken(log: Log, transform: Transform, details: AuditDetails): void {
    const line = this.#tokens.count([log.entityId, transform], log.createdAt, () => ({
      tokenId: log.entityId,
      tokenType: log.entityType,
      transform,
      operations: new Set<string>(),
      ways: new Set<string>(),
      destinations: new Set<string>(),
    }));
    line.operations.add(log.operation);
    if (details.via !== undefined) line.ways.add(details.via);
    if (log.destination !== null) this.#names.add(line.destinations, log.destination);
  }

  #addSearch({ createdAt, outcome }: Log, details: AuditDetails): void {
    const fields = (details.fields ?? []).toSorted();
    const line = this.#searches.count(fields, createdAt, () => ({ fields, found: 0, missed: 0, missing: 0 }));
    line.found += details.found ?? 0;
    line.missed += outcome === 'missed' ? 1 : 0;
    line.missing += details.missing ?? 0;
  }
}
