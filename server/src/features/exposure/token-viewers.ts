import { type Transform, transforms } from '../../core/access/access-rule.ts';
import type { Log } from '../logs/index.ts';
import { parseDetails, parseTransform, tokenKinds } from './log-content.ts';
import { NameCount, Tallies, type Tally } from './tally.ts';

interface ActorLine {
  readonly actorType: string | null;
  readonly actorId: string | null;
  readonly keyId: string | null;
}

/** An actor who was shown the token with one transform. */
export interface ViewerLine extends ActorLine {
  readonly transform: Transform;
  readonly operations: Set<string>;
  readonly ways: Set<string>;
  readonly destinations: Set<string>;
  /** The exports that contained the token. */
  readonly exports: Set<string>;
  readonly sourceAddresses: Set<string>;
}

/** An actor who did something to the token without being shown it, or tried to. */
export interface TouchLine extends ActorLine {
  readonly operation: string;
  readonly outcome: string;
}

export interface TokenViewers {
  readonly records: number;
  readonly viewers: readonly (ViewerLine & Tally)[];
  readonly others: readonly (TouchLine & Tally)[];
}

/** Counts who saw one token and how, record by record. */
export class TokenViewersTally {
  readonly #viewers = new Tallies<ViewerLine>();
  readonly #others = new Tallies<TouchLine>();
  readonly #names = new NameCount();
  #records = 0;

  get size(): number {
    return this.#viewers.size + this.#others.size + this.#names.total;
  }

  /** Adds a record. Returns true if it is about a token. */
  add(log: Log): boolean {
    // Another kind of entity may have the same id.
    if (!tokenKinds.has(log.entityType)) return false;
    this.#records += 1;
    const { actorType, actorId, keyId, operation, outcome, createdAt } = log;
    const actor = { actorType, actorId, keyId };
    const transform = parseTransform(log.transform);
    if (transform === undefined) {
      const name = [actorType, actorId, keyId, operation, outcome];
      this.#others.count(name, createdAt, () => ({ ...actor, operation, outcome }));
    } else {
      this.#addViewer(log, transform, actor);
    }
    return true;
  }

  toViewers(): TokenViewers {
    const viewers = this.#viewers.list();
    return {
      records: this.#records,
      viewers: viewers.toSorted((a, b) => transforms.indexOf(b.transform) - transforms.indexOf(a.transform)),
      others: this.#others.list(),
    };
  }

  #addViewer(log: Log, transform: Transform, actor: ActorLine): void {
    const name = [actor.actorType, actor.actorId, actor.keyId, transform];
    const line = this.#viewers.count(name, log.createdAt, () => ({
      ...actor,
      transform,
      operations: new Set<string>(),
      ways: new Set<string>(),
      destinations: new Set<string>(),
      exports: new Set<string>(),
      sourceAddresses: new Set<string>(),
    }));
    const { via, within } = parseDetails(log.details);
    line.operations.add(log.operation);
    if (via !== undefined) line.ways.add(via);
    if (within !== undefined) this.#names.add(line.exports, within);
    if (log.destination !== null) this.#names.add(line.destinations, log.destination);
    if (log.sourceAddress !== null) this.#names.add(line.sourceAddresses, log.sourceAddress);
  }
}
