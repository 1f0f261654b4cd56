import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { strongroom, type StrongroomElements, type StrongroomOptions } from 'strongroom-elements';

export interface StrongroomState {
  /** Undefined while the fields are prepared. */
  readonly strongroom?: StrongroomElements;
  readonly error?: Error;
}

const StrongroomContext = createContext<StrongroomElements | undefined>(undefined);

/** Makes the instance available to the elements inside. */
export function StrongroomProvider(props: {
  readonly strongroom: StrongroomElements | undefined;
  readonly children?: ReactNode;
}) {
  return <StrongroomContext value={props.strongroom}>{props.children}</StrongroomContext>;
}

/** Without a key: the instance of the provider. With one: prepares an instance, once for all components. */
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
        if (isWanted) setState({ error: error instanceof Error ? error : new Error(String(error)) });
      },
    );
    return () => {
      isWanted = false;
    };
  }, [key, elementsUrl]);
  return key === undefined && provided !== undefined ? { strongroom: provided } : state;
}
