import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { strongroom, type StrongroomElements, type StrongroomOptions } from 'strongroom-elements';
import { toError } from '../wrappers/to-error.ts';

export interface StrongroomState {
  /** Undefined until the fields are ready. */
  readonly strongroom?: StrongroomElements;
  readonly error?: Error;
}

const StrongroomContext = createContext<StrongroomElements | undefined>(undefined);

/** Provides the instance to the elements inside. */
export function StrongroomProvider(props: {
  readonly strongroom: StrongroomElements | undefined;
  readonly children?: ReactNode;
}) {
  return <StrongroomContext value={props.strongroom}>{props.children}</StrongroomContext>;
}

/** Returns the instance of the provider. If a key is given, opens an instance that all components share. */
export function useStrongroom(key?: string, options?: StrongroomOptions): StrongroomState {
  const provided = useContext(StrongroomContext);
  const [state, setState] = useState<StrongroomState>({});
  const elementsUrl = options?.elementsUrl;
  useEffect(() => {
    if (key === undefined || elementsUrl === undefined) return undefined;
    let isWanted = true;
    strongroom(key, { elementsUrl }).then(
      (instance) => {
        if (isWanted) setState({ strongroom: instance });
      },
      (error: unknown) => {
        if (isWanted) setState({ error: toError(error) });
      },
    );
    return () => {
      isWanted = false;
    };
  }, [key, elementsUrl]);
  return key === undefined && provided !== undefined ? { strongroom: provided } : state;
}
