import { type Ref, type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type {
  ElementOptions,
  ElementType,
  EventOf,
  EventType,
  StrongroomElements,
  VaultElement,
} from 'strongroom-elements';
import { findChanged } from '../wrappers/find-changed.ts';
import { toError } from '../wrappers/to-error.ts';
import { useStrongroom } from './strongroom-context.tsx';

export interface ElementHandlers {
  readonly onReady?: ((event: EventOf<'ready'>) => void) | undefined;
  readonly onChange?: ((event: EventOf<'change'>) => void) | undefined;
  readonly onFocus?: ((event: EventOf<'focus'>) => void) | undefined;
  readonly onBlur?: ((event: EventOf<'blur'>) => void) | undefined;
  readonly onKeyDown?: ((event: EventOf<'keydown'>) => void) | undefined;
  readonly onClick?: ((event: EventOf<'click'>) => void) | undefined;
  readonly onCopy?: ((event: EventOf<'copy'>) => void) | undefined;
}

interface UseElement extends ElementHandlers {
  readonly type: ElementType;
  readonly options: ElementOptions;
  readonly strongroom: StrongroomElements | undefined;
  readonly valueRef: RefObject<VaultElement | null> | undefined;
  readonly ref: Ref<VaultElement | null> | undefined;
}

const handlerNames: readonly (readonly [EventType, keyof ElementHandlers])[] = [
  ['ready', 'onReady'],
  ['change', 'onChange'],
  ['focus', 'onFocus'],
  ['blur', 'onBlur'],
  ['keydown', 'onKeyDown'],
  ['click', 'onClick'],
  ['copy', 'onCopy'],
];

/** Mounts an element while its component is on the page, and applies changed options to it. */
export function useElement(wanted: UseElement): RefObject<HTMLDivElement | null> {
  const container = useRef<HTMLDivElement>(null);
  const { strongroom: provided } = useStrongroom();
  const strongroom = wanted.strongroom ?? provided;
  const [element, setElement] = useState<VaultElement | null>(null);
  const [error, setError] = useState<Error>();
  // Effects that run only once read the latest handlers and options from here.
  const latest = useRef(wanted);
  latest.current = wanted;
  useImperativeHandle<VaultElement | null, VaultElement | null>(wanted.ref, () => element, [element]);

  useEffect(() => {
    if (strongroom === undefined || container.current === null) return undefined;
    const created = strongroom.createElement(latest.current.type, latest.current.options);
    for (const [type, name] of handlerNames) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The handler's name follows from the type.
      created.on(type, (event) => (latest.current[name] as ((event: unknown) => void) | undefined)?.(event));
    }
    let isWanted = true;
    created.mount(container.current).then(
      () => {
        const source = latest.current.valueRef?.current;
        if (isWanted && source) created.setValueRef(source);
      },
      (reason: unknown) => {
        if (isWanted) setError(toError(reason));
      },
    );
    setElement(created);
    return () => {
      isWanted = false;
      created.unmount();
      setElement(null);
    };
  }, [strongroom]);

  const given = useRef(wanted.options);
  useEffect(() => {
    const changed = findChanged(given.current, wanted.options);
    given.current = wanted.options;
    if (element !== null && Object.keys(changed).length > 0) element.update(changed).catch(setError);
  });
  if (error !== undefined) throw error;
  return container;
}
