// Turns the calculator of the page "Sizing", which is a shell script, into a form. The figures are those of the script.
const block = [...document.querySelectorAll('pre')].find(({ textContent }) => textContent.includes('BYTES_PER_TOKEN='));
const figure = (name) => Number(new RegExp(`${name}=(\\d+)`).exec(block?.textContent ?? '')?.[1]);
const fields = [
  ['TOKENS', 'Tokens'],
  ['READS_PER_DAY', 'Reads a day'],
  ['RETENTION_MONTHS', 'Months that the log is kept'],
];

if (block !== undefined) {
  const form = document.createElement('form');
  form.className = 'calculator';
  const inputs = fields.map(([name, text]) => {
    const label = document.createElement('label');
    const input = document.createElement('input');
    Object.assign(input, { type: 'number', name, min: name === 'RETENTION_MONTHS' ? 4 : 0, value: figure(name) });
    label.append(text, input);
    form.append(label);
    return input;
  });
  const output = document.createElement('output');
  form.append(output);
  const show = () => {
    const [tokens, reads, months] = inputs.map(({ valueAsNumber }) => (valueAsNumber >= 0 ? valueAsNumber : 0));
    const tokenBytes = tokens * figure('BYTES_PER_TOKEN');
    const logBytes = (tokens + (reads * 365 * months) / 12) * figure('BYTES_PER_RECORD');
    output.textContent = `Tokens ${toSize(tokenBytes)}, audit log ${toSize(logBytes)}, together ${toSize(tokenBytes + logBytes)}`;
  };
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => event.preventDefault());
  show();
  (block.closest('.expressive-code') ?? block).before(form);
}

function toSize(bytes) {
  return bytes < 1e12 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e12).toFixed(2)} TB`;
}
