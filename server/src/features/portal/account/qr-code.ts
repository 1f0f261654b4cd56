import { encode } from 'uqr';
import { type Html, html } from '../../../http/pages/html.ts';

/** The white border on all sides that readers need, in modules (ISO/IEC 18004). */
const border = 4;

/** Renders a text as a QR code, as inline SVG. No external resource is loaded, and no other service learns the text. */
export function renderQrCode(text: string, label: string): Html {
  const { size, data } = encode(text, { ecc: 'M', border });
  // The code is black on white even in dark mode, because many readers support nothing else.
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/>
<path fill="#000" d="${data.map(toRuns).join('')}"/>
</svg>`;
}

/** Draws each run of dark modules in a row as one rectangle. */
function toRuns(row: readonly boolean[], y: number): string {
  const runs = row.map((isDark) => (isDark ? '1' : '0')).join('');
  return [...runs.matchAll(/1+/g)]
    .map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`)
    .join('');
}
