import type { ElementState } from '../protocol/element-state.ts';
import type { ReportedKey } from '../protocol/reported-key.ts';

const eventTypes = ['ready', 'change', 'focus', 'blur', 'keydown', 'click', 'copy'] as const;
export type EventType = (typeof eventTypes)[number];

export type ElementEvent =
  | { readonly type: 'ready' }
  | ({ readonly type: 'change' } & ElementState)
  | { readonly type: 'focus' | 'blur' | 'click' | 'copy'; readonly targetId: string }
  | ({ readonly type: 'keydown'; readonly targetId: string } & ReportedKey);

export type EventOf<Type extends EventType> = Extract<ElementEvent, { readonly type: Type }>;
export type Listener<Type extends EventType> = (event: EventOf<Type>) => void;

export interface Subscription {
  unsubscribe(): void;
}

/** The listeners of an element. */
export class ElementEvents {
  readonly #listeners = new Map<EventType, Set<(event: ElementEvent) => void>>();

  on<Type extends EventType>(type: Type, listener: Listener<Type>): Subscription {
    if (!eventTypes.includes(type)) throw new Error(`There is no event "${type}".`);
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners);
    // Each subscription gets its own function, so that the same listener can subscribe twice.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- It only receives events of its type.
    const call = (event: ElementEvent) => listener(event as EventOf<Type>);
    listeners.add(call);
    return { unsubscribe: () => listeners.delete(call) };
  }

  emit(event: ElementEvent): void {
    for (const listener of this.#listeners.get(event.type) ?? []) listener(event);
  }
}
