/** The part of a frame's address after the `#`. It is never sent to the server. */
export interface FrameAddress {
  /** 128 random bits that the page, the fields and the controller of one instance share. */
  readonly nonce: string;
  /** The number of the element in its instance. The controller is `0`. */
  readonly element: string;
  /** The only other origin that the frame exchanges messages with. */
  readonly pageOrigin: string;
}

const noncePattern = /^[0-9a-f]{32}$/;
const elementPattern = /^\d{1,6}$/;

export const controllerElement = '0';

export function writeFrameHash({ nonce, element, pageOrigin }: FrameAddress): string {
  return `#${nonce}.${element}.${encodeURIComponent(pageOrigin)}`;
}

/** Parses an address. Returns undefined if it does not have the format that this project's client writes. */
export function readFrameHash(hash: string): FrameAddress | undefined {
  const [nonce = '', element = '', ...origin] = hash.slice(1).split('.');
  if (!noncePattern.test(nonce) || !elementPattern.test(element)) return undefined;
  const pageOrigin = readOrigin(origin.join('.'));
  return pageOrigin === undefined ? undefined : { nonce, element, pageOrigin };
}

function readOrigin(text: string): string | undefined {
  try {
    const origin = decodeURIComponent(text);
    return new URL(origin).origin === origin ? origin : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the public part of a key. The vault uses it to find the origins that may show frames for the key. */
export function keyIdOf(key: string): string | undefined {
  return /^key_(?:test|prod)_(?:[a-z\d]+_)?(?:pub|sess)_([1-9A-HJ-NP-Za-km-z]{22})\w+$/.exec(key)?.[1];
}
