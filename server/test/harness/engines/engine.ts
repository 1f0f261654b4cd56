import { ChromiumEngine } from './chromium-engine.ts';
import { FirefoxEngine } from './firefox-engine.ts';
import { WebkitEngine } from './webkit-engine.ts';

export const engineNames = ['chromium', 'firefox', 'webkit'] as const;
export type EngineName = (typeof engineNames)[number];

/** The place of an element: a selector, in the page or in the frame inside of a container. */
export interface Place {
  readonly frameIn?: string;
  readonly at: string;
}

/** Keys that have the same name in all engines. */
export type Key = 'Backspace' | 'ArrowLeft';

/** A page in one of the engines. Scripts are expressions. If they return a promise, its value is returned. */
export interface EnginePage {
  goto(url: string): Promise<void>;
  evaluate(script: string, frameIn?: string): Promise<unknown>;
  click(place: Place): Promise<void>;
  /** Focuses the element and presses the key of each character. In the text, `\t` stands for the Tab key. */
  type(place: Place, text: string): Promise<void>;
  press(place: Place, key: Key): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** Returns a picture of what the window shows, as a PNG. */
  photograph(): Promise<Uint8Array>;
}

/** A browser with one page. */
export interface Engine {
  readonly page: EnginePage;
  stop(): Promise<void>;
}

const engines = { chromium: ChromiumEngine, firefox: FirefoxEngine, webkit: WebkitEngine };

export function startEngine(name: EngineName): Promise<Engine> {
  return engines[name].start();
}
