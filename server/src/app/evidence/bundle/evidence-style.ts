/** The style of evidence.html. It must not depend on anything outside of the page, and has to work on paper. */
export const pageStyle = `
:root { color-scheme: light; --ink: #1d2733; --quiet: #5a6675; --line: #d5dbe2; --good: #1f7a4d; --warn: #8a5a00; --bad: #b3261e; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: #fff; margin: 0 auto; padding: 32px 24px; max-width: 880px; }
h1 { font-size: 26px; margin: 0 0 8px; }
h2 { font-size: 18px; margin: 32px 0 6px; padding-top: 12px; border-top: 1px solid var(--line); }
h2 span { font-weight: 400; color: var(--quiet); }
.statement { font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 16px 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: 12.5px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.totals { list-style: none; display: flex; gap: 12px; padding: 0; margin: 12px 0; }
.totals li { border: 1px solid var(--line); border-left: 5px solid; border-radius: 4px; padding: 8px 16px; }
.totals b { font-size: 22px; }
.totals .holds { border-left-color: var(--good); }
.totals .attention { border-left-color: var(--warn); }
.totals .fails { border-left-color: var(--bad); }
.open li { margin: 4px 0; }
article { border-left: 4px solid var(--good); padding: 2px 0 2px 14px; margin: 14px 0; break-inside: avoid; }
article.attention { border-left-color: var(--warn); }
article.fails { border-left-color: var(--bad); }
article p { margin: 3px 0; }
.verdict { font-weight: 700; color: var(--good); margin-right: 6px; }
.attention .verdict { color: var(--warn); }
.fails .verdict { color: var(--bad); }
.note { color: var(--quiet); font-size: 13px; }
.affected { margin: 4px 0; padding-left: 20px; font-size: 13px; }
a { color: inherit; }
@page { size: A4; margin: 16mm 14mm; }
@media print {
  body { padding: 0; max-width: none; font-size: 10.5pt; }
  h2 { break-after: avoid; margin-top: 18px; }
  .note, .affected { font-size: 9pt; }
}
`;
