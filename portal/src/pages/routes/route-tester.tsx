import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useMember } from '../../api/me';
import { type Preview, previewRoute } from '../../api/routes';
import { CodeBlock } from '../../parts/controls/code-block';
import { Segments } from '../../parts/controls/segments';
import { Card, CardBody } from '../../parts/page/card';
import { Failure } from '../../parts/page/states';
import { countOf } from '../../parts/show/number';
import { type RouteDraft, toTransform } from './route-draft';
import { type SampleForm, sampleForms, samples } from './route-samples';

/** Shows sample messages before and after the transforms of a draft. Nobody is called, and no token is created. */
export function RouteTester({ draft }: { readonly draft: RouteDraft }) {
  const { tenant } = useMember();
  const [form, setForm] = useState<SampleForm>('json');
  const [texts, setTexts] = useState(samples);
  const sample = texts[form];
  const wanted = useDeferredValue({
    request_transforms: draft.request.map(toTransform),
    response_transforms: draft.response.map(toTransform),
    configuration_names: draft.secretName === '' ? [] : [draft.secretName],
    request: { headers: { 'Content-Type': sample.type }, body: sample.request },
    response: { headers: { 'Content-Type': 'application/json' }, body: sample.response },
  });
  const preview = useQuery({
    queryKey: ['route-preview', tenant.id, wanted],
    queryFn: () => previewRoute(wanted),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const change = (members: Partial<typeof sample>) => setTexts({ ...texts, [form]: { ...sample, ...members } });
  const { data, error } = preview;
  return (
    <Card title="Try it" note="With a sample card. Nobody is called, and no token is created.">
      <CardBody>
        <Segments
          label="Form of the request"
          value={form}
          options={sampleForms.map(({ value, label }) => ({ value, label }))}
          onChange={setForm}
        />
        <div className="route-messages">
          <Sent label="The caller sends" text={sample.request} onChange={(request) => change({ request })} />
          <Arrived label="The destination receives" message={error === null ? data?.request : undefined} />
          <Sent label="The destination responds" text={sample.response} onChange={(response) => change({ response })} />
          <Arrived label="The caller receives" message={error === null ? data?.response : undefined} />
        </div>
        {error === null ? null : <Failure error={error} />}
        {error === null && data !== undefined ? <Counts preview={data} /> : null}
      </CardBody>
    </Card>
  );
}

function Counts({ preview: { tokens, values } }: { readonly preview: Preview }) {
  return (
    <p className="note" aria-live="polite">
      A call like this creates {countOf(tokens, 'token')} and inserts {countOf(values, 'value')} into the response.
    </p>
  );
}

function Sent(side: { readonly label: string; readonly text: string; readonly onChange: (text: string) => void }) {
  return (
    <label className="route-message">
      <b>{side.label}</b>
      <textarea rows={9} spellCheck={false} value={side.text} onChange={({ target }) => side.onChange(target.value)} />
    </label>
  );
}

function Arrived({ label, message }: { readonly label: string; readonly message: Preview['request'] }) {
  const headers = Object.entries(message?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const text = message === undefined ? '' : [...headers, '', indent(message.body ?? '')].join('\n');
  return (
    <div className="route-message">
      <b>{label}</b>
      <CodeBlock label={label} text={text} />
    </div>
  );
}

/** Returns JSON with line breaks, and any other text as it is. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
