import type { ElementOptions, ElementType, EventOf, StrongroomElements, VaultElement } from 'strongroom-elements';
import { copyPlain } from '../wrappers/copy-plain.ts';
import { eventTypes } from '../wrappers/event-types.ts';
import { findChanged } from '../wrappers/find-changed.ts';
import { toError } from '../wrappers/to-error.ts';

type Handlers = { readonly [Type in (typeof eventTypes)[number] as `on${Type}`]?: (event: EventOf<Type>) => void };

export interface ElementProps extends Omit<ElementOptions, 'targetId'>, Handlers {
  readonly type: ElementType;
  /** The id of the element in the page, for a label. It is also its `targetId`. */
  readonly id: string;
  /** The instance, required if no component outside uses `useStrongroom`. */
  readonly strongroom?: StrongroomElements | undefined;
  /** Another element whose value this one shows. */
  readonly valueRef?: VaultElement | undefined;
  /** The element, for `bind:element`. */
  readonly element?: VaultElement | undefined;
}

interface Placed {
  readonly props: Omit<ElementProps, 'element'>;
  readonly onElement: (element: VaultElement | undefined) => void;
  readonly onError: (error: Error) => void;
}

/** An action that mounts an element while its container is on the page, and applies changed options to it. */
export function placeElement(
  container: HTMLElement,
  first: Placed,
): { readonly update: (next: Placed) => void; readonly destroy: () => void } {
  let placed = first;
  let opened: { readonly element: VaultElement; readonly by: StrongroomElements } | undefined;

  const close = () => {
    opened?.element.unmount();
    if (opened !== undefined) placed.onElement(undefined);
    opened = undefined;
  };
  const open = () => {
    const { type, strongroom, valueRef } = placed.props;
    if (strongroom === undefined) return;
    const element = strongroom.createElement(type, toOptions(placed.props));
    opened = { element, by: strongroom };
    for (const name of eventTypes) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The handler's event follows from its name.
      element.on(name, (event) => (placed.props[`on${name}`] as ((event: unknown) => void) | undefined)?.(event));
    }
    element.mount(container).catch((reason: unknown) => {
      if (opened?.element === element) placed.onError(toError(reason));
    });
    if (valueRef !== undefined) element.setValueRef(valueRef);
    placed.onElement(element);
  };
  const update = (next: Placed) => {
    const before = placed;
    placed = next;
    if (opened?.by !== next.props.strongroom) {
      close();
      open();
      return;
    }
    const { valueRef } = next.props;
    if (valueRef !== undefined && valueRef !== before.props.valueRef) opened?.element.setValueRef(valueRef);
    const changed = findChanged(toOptions(before.props), toOptions(next.props));
    if (Object.keys(changed).length === 0) return;
    opened?.element.update(changed).catch((reason: unknown) => placed.onError(toError(reason)));
  };
  open();
  return { update, destroy: close };
}

const kept = new Set<string>(['strongroom', 'valueRef']);
const notOptions = new Set<string>([...kept, 'id', 'type', ...eventTypes.map((name) => `on${name}`)]);

/** Copies properties. Read in a component, this also notices changes inside of them, such as of a colour in a style. */
export function copyProps(props: Placed['props']): Placed['props'] {
  const copied = Object.entries(props).map(([name, value]) => [name, kept.has(name) ? value : copyPlain(value)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The names and types are the same.
  return Object.fromEntries(copied) as Placed['props'];
}

function toOptions(props: Placed['props']): ElementOptions {
  const options = Object.entries(props).filter(([name, value]) => !notOptions.has(name) && value !== undefined);
  return { ...Object.fromEntries(options), targetId: props.id };
}
