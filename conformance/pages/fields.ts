/** The part of a published client that `Fields` uses. All clients create elements in the same way. */
interface Creator {
  createElement(type: string, options: object): PlacedElement;
}

interface PlacedElement {
  mount(target: string | Element): Promise<void>;
  on(type: string, listener: (event: object) => void): { unsubscribe(): void };
}

const eventTypes = ['ready', 'change', 'focus', 'blur', 'keydown', 'click', 'copy'];

/** The elements of a page by container id, with all events that they have emitted. */
export class Fields {
  readonly #events = new Map<string, object[]>();
  readonly #creator: Creator;

  constructor(creator: Creator) {
    this.#creator = creator;
  }

  /** Creates a container and an element without mounting it, and records all its events. */
  create(id: string, type: string, options: object = {}): PlacedElement {
    const container = document.createElement('div');
    container.id = id;
    document.body.append(container);
    const needsTarget = type !== 'card' && type !== 'copyButton';
    const element = this.#creator.createElement(type, { ...(needsTarget ? { targetId: id } : {}), ...options });
    const events: object[] = [];
    this.#events.set(id, events);
    for (const eventType of eventTypes) element.on(eventType, (event) => events.push(event));
    return element;
  }

  async place(id: string, type: string, options: object = {}): Promise<PlacedElement> {
    const element = this.create(id, type, options);
    await element.mount(`#${id}`);
    return element;
  }

  eventsOf(id: string): readonly object[] {
    return this.#events.get(id) ?? [];
  }
}
