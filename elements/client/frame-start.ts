import type { Frame } from './frame.ts';
import { defer } from './deferred.ts';

const checkAfterMs = 3_000;
const reloadAfterMs = 5_000;
const attempts = 3;
/** The number of intervals that the document may take to load on a slow connection. */
const loadingMax = 6;

export interface FrameStart {
  readonly started: Promise<void>;
  readonly succeed: () => void;
  readonly fail: (error: Error) => void;
}

/**
 * Waits until a frame reports that it is ready. After a delay, it asks the vault whether the frame may start at all. A
 * frame that may start is given enough time to load on a slow connection. It is reloaded if its document has loaded but
 * reports nothing.
 */
export function awaitStart(
  frame: Frame,
  { origin, keyId }: { readonly origin: string; readonly keyId: string },
): FrameStart {
  const { promise, resolve, reject } = defer<void>();
  let left = attempts - 1;
  const check = setTimeout(() => {
    void findReason(origin, keyId).then((reason) => {
      if (reason !== undefined) fail(new Error(explain(reason)));
    });
  }, checkAfterMs);
  let loading = 0;
  const timer = setInterval(() => {
    loading += 1;
    // Each reload would restart a frame that is still loading, and it would never finish.
    if (!frame.hasLoaded && loading < loadingMax) return;
    left -= 1;
    if (left >= 0) frame.reload();
    else
      fail(new Error(`The fields of ${origin} did not start. Check that this page's policy allows frames from there.`));
  }, reloadAfterMs);
  const stop = () => {
    clearTimeout(check);
    clearInterval(timer);
  };
  const fail = (error: Error) => {
    stop();
    reject(error);
  };
  const succeed = () => {
    stop();
    resolve();
  };
  return { started: promise, succeed, fail };
}

const reasons: Readonly<Record<string, string>> = {
  'unknown-key': 'The vault does not know this key, or it is not the key of a public application.',
  'no-origins': 'The application of this key has no allowed_origins. Add the origin of this page to them.',
  'other-origin': 'The origin of this page is not among the allowed_origins of the application.',
};

/** Explains it in the console as well, because a page may swallow the error. */
function explain(reason: string): string {
  const text = `${reason} The origin of this page is ${location.origin}.`;
  // oxlint-disable-next-line no-console -- For the developer of the page.
  console.error(`Strongroom: ${text}`);
  return text;
}

/**
 * Returns the reason why the vault does not let a frame start. Undefined if the frame may start, or if the vault gives
 * no reason.
 */
async function findReason(origin: string, keyId: string): Promise<string | undefined> {
  const page = encodeURIComponent(location.origin);
  const check: unknown = await fetch(`${origin}/elements/check?key=${keyId}&origin=${page}`, { credentials: 'omit' })
    .then((response) => response.json())
    .catch(() => undefined);
  const reason = typeof check === 'object' && check !== null && 'reason' in check ? String(check.reason) : '';
  return reasons[reason];
}
