// A page that tests use the React components in.
import { Component, StrictMode, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { CardNumberElement, StrongroomProvider, useStrongroom } from 'strongroom-elements/react';

const page = { events: [] };
globalThis.page = page;

const toStyle = (color) => ({ base: { color } });

class Boundary extends Component {
  state = {};
  static getDerivedStateFromError(error) {
    page.error = error.message;
    return { hasFailed: true };
  }
  render() {
    return this.state.hasFailed ? null : this.props.children;
  }
}

function Page() {
  const { key, elementsUrl } = globalThis.settings;
  const { strongroom, error } = useStrongroom(key, { elementsUrl });
  const [{ isShown, ...options }, setShown] = useState({
    isShown: true,
    placeholder: 'first',
    style: toStyle('rgb(1, 2, 3)'),
  });
  const number = useRef(null);
  Object.assign(page, { strongroom, openingError: error?.message, element: () => number.current ?? undefined });
  page.recolor = (color) => setShown((before) => ({ ...before, style: toStyle(color) }));
  page.change = (change) => setShown((before) => ({ ...before, ...change }));
  const note = (event) => page.events.push(event.type);
  return (
    <StrongroomProvider strongroom={strongroom}>
      {isShown ? (
        <>
          <CardNumberElement id="number" ref={number} {...options} aria-label="Number" onReady={note} onChange={note} />
          <CardNumberElement id="follower" readOnly valueRef={number} />
        </>
      ) : null}
    </StrongroomProvider>
  );
}

createRoot(document.getElementById('app')).render(
  <StrictMode>
    <Boundary>
      <Page />
    </Boundary>
  </StrictMode>,
);
