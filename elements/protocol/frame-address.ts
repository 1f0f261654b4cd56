/** What a frame is told by its address. Nothing behind the # is sent to the server. */
export interface FrameAddress {
  /** 128 random bits that page, fields and controller of one instance share. */
  readonly nonce: string;
  /** Which element of the instance this is; `0` is the controller. */
  readonly element: string;
  /** The only origin that the frame speaks with, besides its own. */
  readonly pageOrigin: string;
}

const noncePattern = /^[0-9a-f]{32}$/;
const elementPattern = /^\d{1,6}$/;

export const controllerElement = '0';

export function writeFrameHash({ nonce, element, pageOrigin }: FrameAddress): string {
  return `#${nonce}.${element}.${encodeURIComponent(pageOrigin)}`;
}

/** Undefined for an address that no client of ours has written. */
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

/** The part of a key that is no secret, by which the vault finds the origins that may show its frames. */
export function keyIdOf(key: string): string | undefined {
  return /^key_(?:test|prod)_(?:pub|sess)_([1-9A-HJ-NP-Za-km-z]{22})[1-9A-HJ-NP-Za-km-z]{1,60}_[1-9A-HJ-NP-Za-km-z]{1,8}$/.exec(
    key,
  )?.[1];
}
