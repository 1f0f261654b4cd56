import { describe, expect, it } from 'vitest';
import type { Steps } from '../../../core/steps/steps.ts';
import { longestStep } from '../../../../test/harness/longest-step.ts';
import { MaskLimit, parseTransforms } from '../../stored-proxies/index.ts';
import type { MessageBody } from './message-body.ts';
import { maskBodySteps } from './mask-text.ts';
import { findXmlPlacesSteps } from './xml-places.ts';

const bytesMax = 4 * 1024 * 1024;
/** Nearly the maximum length of an XML document. */
const xmlLength = 1024 * 1024 - 100;
/** The time that one step may take, in milliseconds. */
const stepMs = 50;
const fill = (text: string, length = bytesMax) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

function maskOf(expression: string) {
  const [transform] = parseTransforms([{ type: 'mask', expression }], 'response');
  if (transform?.type !== 'mask') throw new Error('A mask became something else.');
  return transform;
}

/** Collecting garbage and compiling machine code can happen in any step, but not in the same work three times. */
const isSlow = (work: () => Steps<unknown>) => [1, 2, 3].every(() => longestStep(work()) > stepMs);

describe('a hostile body', () => {
  const texts = ['\n', 'a\n', '<a>', '<', '4242424242424242\n', `${'4'.repeat(2_000)}\n`, '\u2028', '{{', '𝄞'];

  it.each(texts.map((text) => [JSON.stringify(text).slice(0, 20), fill(text)]))(
    'is masked in short steps, or rejected: %s',
    { timeout: 300_000 },
    (_name, text) => {
      const bodies: MessageBody[] = [
        { kind: 'text', text, encoding: 'utf8' },
        { kind: 'xml', text },
      ];
      for (const body of bodies)
        expect(isSlow(() => maskBodySteps(body, maskOf(String.raw`(\d{12})\d{4}`)))).toBe(false);
    },
  );

  it('of more lines than can be masked is rejected', () => {
    const steps = maskBodySteps({ kind: 'text', text: fill('\n'), encoding: 'utf8' }, maskOf('(a)'));
    expect(() => [...steps]).toThrow(MaskLimit);
  });

  it.each([
    ['many elements', `<r>${fill('<a/>', xmlLength)}</r>`],
    ['deep elements', fill('<a>', xmlLength)],
    ['matching elements', `<r>${fill('<c>1</c>', xmlLength)}</r>`],
    ['a long text', `<r><c>${fill('a', xmlLength)}</c></r>`],
    ['many references', `<r><c>${fill('&#x34;', xmlLength)}</c></r>`],
    ['a long attribute', `<r a="${fill('a', xmlLength)}"/>`],
    ['many attributes', `<r ${fill('a="" ', xmlLength)}/>`],
    ['a long name', `<${fill('a', xmlLength)}>`],
    ['a long comment', `<r><!--${fill('a-', xmlLength)}--></r>`],
    ['long sections', `<r><c>${fill('<![CDATA[]]>', xmlLength)}</c></r>`],
    ['line ends', `<r>${fill('\r\n', xmlLength)}</r>`],
    ['no tag at all', fill('<', xmlLength)],
  ])('of XML is read in short steps, or rejected: %s', { timeout: 300_000 }, (_name, text) => {
    expect(isSlow(() => findXmlPlacesSteps(text, [['r', 'c'], ['r', '*'], ['*']]))).toBe(false);
  });
});
