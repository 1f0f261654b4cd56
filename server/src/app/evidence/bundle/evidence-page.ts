import { Html, html } from '../../../http/pages/html.ts';
import type { EvidenceFact, EvidenceView } from './evidence-schema.ts';
import { pageStyle } from './evidence-style.ts';

const words = { holds: 'Holds', attention: 'Attention', fails: 'Fails' } as const;
const listedMax = 20;

/** Returns evidence.html: one page without scripts or anything to load, for reading and printing. */
export function toEvidencePage(view: EvidenceView): string {
  const scope = view.tenant_id === null ? `the whole vault, ${view.tenants} tenants` : `tenant ${view.tenant_id}`;
  const facts = view.rows.flatMap((row) => row.facts);
  const open = ['fails', 'attention'].flatMap((wanted) => facts.filter(({ verdict }) => verdict === wanted));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evidence of a vault, ${toDay(view.period.from)} to ${toDay(view.period.to)}</title>
<style>${new Html(pageStyle)}</style>
</head>
<body>
<header>
<h1>Evidence of a Strongroom vault</h1>
<p class="statement">${view.statement} It says what the vault knows about itself. People, buildings, hosts and networks are not in it.</p>
<dl>
<dt>About</dt><dd>${scope}</dd>
<dt>Period</dt><dd>${view.period.from} to ${view.period.to}</dd>
<dt>Taken</dt><dd>${view.started_at} to ${view.finished_at}, by version ${view.version}. Each fact says when it was read; they are not one snapshot.</dd>
<dt>Standard</dt><dd>${view.standard}</dd>
<dt>Signed with</dt><dd><code>${view.public_key}</code></dd>
</dl>
<p>Compare the key with the one that the operator gives you through another channel, and check this folder with
<code>strongroom evidence verify &lt;folder&gt; --public-key &lt;key&gt;</code>, which needs no vault.</p>
</header>
<section>
<h2>Summary</h2>
<ul class="totals">
<li class="holds"><b>${view.totals.holds}</b> hold</li>
<li class="attention"><b>${view.totals.attention}</b> need attention</li>
<li class="fails"><b>${view.totals.fails}</b> fail</li>
</ul>
${open.length === 0 ? html`<p>Nothing needs attention.</p>` : html`<ol class="open">${open.map(toOpenItem)}</ol>`}
</section>
${view.rows.map(toSection)}
</body>
</html>
`;
  return page.toString();
}

function toOpenItem({ id, verdict, sentence, to_do: remedy }: EvidenceFact): Html {
  return html`<li><a href="#${id}">${words[verdict]}</a>: ${sentence}${remedy === null ? '' : html` To do: ${withCode(remedy)}.`}</li>`;
}

function toSection(row: EvidenceView['rows'][number]): Html {
  return html`<section>
<h2>${row.requirements} <span>${row.topic}</span></h2>
<p><b>The vault:</b> ${row.vault}. <b>Yours:</b> ${row.yours}.</p>
${row.unchecked === null ? '' : html`<p class="note">Not compared with a public text of the standard: ${row.unchecked}.</p>`}
${row.related.length === 0 ? '' : html`<p class="note">About the same subject: ${row.related.join(', ')}.</p>`}
${row.without_facts === null ? '' : html`<p class="note">No fact: ${row.without_facts}.</p>`}
${row.facts.map(toFact)}
</section>`;
}

function toFact(fact: EvidenceFact): Html {
  const { id, verdict, sentence, to_do: remedy, affected, affected_total: total, found_by: foundBy, proof } = fact;
  return html`<article id="${id}" class="${verdict}">
<p class="sentence"><span class="verdict">${words[verdict]}</span> ${sentence}</p>
${remedy === null ? '' : html`<p>To do: ${withCode(remedy)}.</p>`}
${affected.length === 0 ? '' : toAffected(affected, total)}
<p class="note"><code>${id}</code>, read at ${fact.read_at}. Found by ${withCode(foundBy)}. ${
    'file' in proof ? html`Proof: <code>${proof.file}</code>.` : html`Not provable here, because ${proof.not_provable}.`
  }</p>
</article>`;
}

function toAffected(affected: EvidenceFact['affected'], total: number): Html {
  const listed = affected.slice(0, listedMax);
  const more = total > listed.length ? html`<li>${total} in all; evidence.json lists up to 100</li>` : '';
  return html`<ul class="affected">${listed.map(
    ({ kind, id, tenant_id: tenant }) =>
      html`<li>${kind} <code>${id}</code>${tenant === null || tenant === id ? '' : html` of tenant <code>${tenant}</code>`}</li>`,
  )}${more}</ul>`;
}

/** Returns text in which commands stand between grave accents. */
function withCode(text: string): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
  return new Html(parts.join(''));
}

function toDay(time: string): string {
  return time.slice(0, 10);
}
