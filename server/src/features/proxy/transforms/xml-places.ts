import { SaxesParser } from 'saxes';
import { DomainError } from '../../../core/errors/domain-error.ts';
import { Sensitive } from '../../../core/identity/sensitive.ts';
import type { Steps } from '../../../core/steps/steps.ts';
import { escapeXml } from '../xml-text.ts';

/** The parser joins long comments and texts at once. That takes 40 ms for a document of this length (measured). */
const lengthMax = 1024 * 1024;
const depthMax = 100;
const elementsMax = 100_000;
/** The maximum number of elements at the locations of one group of transforms. */
const placesMax = 1_000;
/** The number of characters that are parsed before other requests may run. */
const sliceLength = 16 * 1024;

/** An element at one of the paths. Positions are those in the document. */
interface XmlPlace {
  /** The index of the path that found it. */
  readonly path: number;
  /** Its text. Undefined if other elements are in it. */
  readonly value: Sensitive<string> | undefined;
  /** The positions of the first character of its start tag and after the last one of its end tag. */
  readonly outer: readonly [number, number];
  /** The positions of the start and the end of its content. */
  readonly inner: readonly [number, number];
}

/** A part of a document, and what replaces it. */
export interface XmlEdit {
  readonly range: readonly [number, number];
  readonly text: string;
}

/**
 * Finds the elements at paths of local names, whatever their prefixes. A document that a destination could read
 * differently is rejected: one that is not well-formed, that has a document type, which can define entities, or that
 * declares another version or encoding.
 */
export function* findXmlPlacesSteps(text: string, paths: readonly (readonly string[])[]): Steps<XmlPlace[]> {
  if (text.length > lengthMax) throw unreadable(`An XML body has at most ${lengthMax} characters.`);
  const finder = new XmlFinder(text, paths);
  try {
    for (let at = 0; at < text.length; at += sliceLength) {
      finder.write(text.slice(at, at + sliceLength));
      yield;
    }
    return finder.end();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw unreadable('The body is not well-formed XML.');
  }
}

/** Returns the document with some of its parts replaced. Parts inside others are replaced together with those. */
export function applyXmlEdits(text: string, edits: readonly XmlEdit[]): string {
  let edited = '';
  let at = 0;
  for (const { range, text: replacement } of edits.toSorted((a, b) => a.range[0] - b.range[0])) {
    if (range[0] < at) continue;
    edited += text.slice(at, range[0]) + replacement;
    at = range[1];
  }
  return edited + text.slice(at);
}

/** Returns the edit that writes a text into an element. */
export function toXmlEdit({ inner }: XmlPlace, text: string): XmlEdit {
  return { range: inner, text: escapeXml(text, 'body') };
}

interface OpenElement {
  readonly name: string;
  readonly start: number;
  readonly contentStart: number;
  readonly paths: readonly number[];
  hasElements: boolean;
  text: string;
}

class XmlFinder {
  readonly #parser = new SaxesParser({ xmlns: false, position: true });
  readonly #text: string;
  readonly #paths: readonly (readonly string[])[];
  readonly #open: OpenElement[] = [];
  readonly #found: XmlPlace[] = [];
  #elements = 0;

  constructor(text: string, paths: readonly (readonly string[])[]) {
    this.#text = text;
    this.#paths = paths;
    const parser = this.#parser;
    parser.on('error', (error) => {
      throw error;
    });
    parser.on('doctype', () => {
      throw unreadable('An XML body must not have a document type.');
    });
    parser.on('xmldecl', ({ version = '1.0', encoding = 'utf-8' }) => {
      if (version !== '1.0' || encoding.toLowerCase() !== 'utf-8')
        throw unreadable('An XML body must be version 1.0 in UTF-8.');
    });
    parser.on('opentag', ({ name }) => this.#begin(name));
    parser.on('closetag', ({ isSelfClosing }) => this.#finish(isSelfClosing));
    const append = (piece: string) => {
      const last = this.#open.at(-1);
      if (last !== undefined && last.paths.length > 0) last.text += piece;
    };
    parser.on('text', append);
    parser.on('cdata', append);
  }

  write(slice: string): void {
    this.#parser.write(slice);
  }

  end(): XmlPlace[] {
    this.#parser.close();
    return this.#found;
  }

  #begin(name: string): void {
    this.#elements += 1;
    if (this.#elements > elementsMax || this.#open.length >= depthMax)
      throw unreadable(`An XML body has at most ${elementsMax} elements, at most ${depthMax} in each other.`);
    const parent = this.#open.at(-1);
    if (parent !== undefined) parent.hasElements = true;
    const local = name.slice(name.indexOf(':') + 1);
    const end = this.#parser.position;
    // A value of an attribute cannot contain this character, so it is the one that begins the tag.
    const start = this.#text.lastIndexOf('<', end - 1);
    const names = [...this.#open.map((element) => element.name), local];
    const paths = this.#paths.flatMap((path, index) => (isAt(path, names) ? [index] : []));
    this.#open.push({ name: local, start, contentStart: end, paths, hasElements: false, text: '' });
  }

  #finish(isSelfClosing: boolean): void {
    const element = this.#open.pop();
    if (element === undefined || element.paths.length === 0) return;
    const end = this.#parser.position;
    const contentEnd = isSelfClosing ? element.contentStart : this.#text.lastIndexOf('<', end - 1);
    const value = element.hasElements ? undefined : new Sensitive(element.text.trim());
    const { start, contentStart } = element;
    for (const path of element.paths)
      this.#found.push({ path, value, outer: [start, end], inner: [contentStart, contentEnd] });
    if (this.#found.length > placesMax)
      throw unreadable(`A transform of the proxy finds more than ${placesMax} values.`);
  }
}

function isAt(path: readonly string[], names: readonly string[]): boolean {
  return path.length === names.length && path.every((name, depth) => name === '*' || name === names[depth]);
}

function unreadable(detail: string): DomainError {
  return new DomainError('validation-failed', detail);
}
