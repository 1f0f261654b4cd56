export const sampleForms = [
  { value: 'json', label: 'JSON' },
  { value: 'form', label: 'Form' },
  { value: 'xml', label: 'XML' },
] as const;
export type SampleForm = (typeof sampleForms)[number]['value'];

interface Sample {
  readonly type: string;
  readonly request: string;
  readonly response: string;
}

/** A test number that no issuer has given out. */
const number = '4242424242424242';
const response = `{\n  "accepted": true,\n  "card": { "number": "${number}" }\n}`;

/** Messages to begin with. */
export const samples: Readonly<Record<SampleForm, Sample>> = {
  json: {
    type: 'application/json',
    request: `{\n  "order": 7,\n  "card": {\n    "number": "${number}",\n    "cvc": "123"\n  }\n}`,
    response,
  },
  form: { type: 'application/x-www-form-urlencoded', request: `order=7&number=${number}&cvc=123`, response },
  xml: {
    type: 'application/xml',
    request: `<order id="7">\n  <card>${number}</card>\n  <cvc>123</cvc>\n</order>`,
    response,
  },
};
