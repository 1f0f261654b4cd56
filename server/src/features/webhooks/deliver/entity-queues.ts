/** Something to send, with the entity that it is about. */
export interface Queued {
  readonly entityId: string;
}

/**
 * Keeps events of one entity in order. An event is handed out only while no earlier event of its entity is under way, and
 * events of other entities do not wait for it.
 */
export class EntityQueues<Event extends Queued> {
  readonly #byEntity = new Map<string, Event[]>();
  /** The entities whose first event can be handed out, in the order of those events. */
  readonly #ready = new Set<string>();

  add(event: Event): void {
    const queue = this.#byEntity.get(event.entityId);
    if (queue !== undefined) {
      queue.push(event);
      return;
    }
    this.#byEntity.set(event.entityId, [event]);
    this.#ready.add(event.entityId);
  }

  get hasReady(): boolean {
    return this.#ready.size > 0;
  }

  /**
   * Takes up to `max` events for one request. Several events of one entity can be in the same request, because they
   * arrive in order. Their entities are busy until `release` or `drop`.
   */
  take(max: number): Event[] {
    const taken: Event[] = [];
    for (const entityId of this.#ready) {
      if (taken.length >= max) break;
      this.#ready.delete(entityId);
      taken.push(...(this.#byEntity.get(entityId) ?? []).splice(0, max - taken.length));
    }
    return taken;
  }

  /** Lets the next event of an entity follow. */
  release(entityId: string): void {
    const queue = this.#byEntity.get(entityId);
    if (queue === undefined) return;
    if (queue.length > 0) this.#ready.add(entityId);
    else this.#byEntity.delete(entityId);
  }

  /** Removes and returns everything that was not handed out, in order for each entity. */
  takeRest(): Event[] {
    const rest = [...this.#byEntity.values()].flat();
    this.#byEntity.clear();
    this.#ready.clear();
    return rest;
  }

  /** Removes and returns the events that were waiting for one that failed. */
  drop(entityId: string): Event[] {
    const queue = this.#byEntity.get(entityId) ?? [];
    this.#byEntity.delete(entityId);
    this.#ready.delete(entityId);
    return queue;
  }
}
