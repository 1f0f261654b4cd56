import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Eye, FlaskConical } from 'lucide-react';
import { useState } from 'react';
import { applicationsQuery, getApplication } from '../../api/applications';
import { explainApplication, explainDraft, type Target } from '../../parts/access/explain';
import type { Rights } from '../../parts/access/rights';
import { Onlookers } from '../../parts/access/onlookers';
import { Icon } from '../../parts/icon';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Empty } from '../../parts/page/states';
import { DecisionTable } from './decision-table';
import { DraftEditor } from './draft-editor';
import { keepDraft, readDraft } from './draft-rights';
import { Likeness } from './likeness';
import { draftSubject, type SimulatorSearch } from './simulator-search';
import { SubjectField } from './subject-field';
import { TargetForm } from './target-form';

const route = getRouteApi('/simulator');

export function SimulatorPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [draft, setDraft] = useState(readDraft);
  const change = (changed: SimulatorSearch) => void navigate({ search: { ...search, ...changed }, replace: true });
  const applications = useQuery(applicationsQuery);
  const target = toTarget(search);
  return (
    <Page
      title="Simulator"
      lead="What an application may do with a token or in a container, and who can read it."
      docs="concepts/containers-and-rules"
      hasTimes
    >
      <Card>
        <CardBody>
          <div className="simulator-inputs">
            <QueryView query={applications} what="applications">
              {(list) => (
                <SubjectField
                  applications={list}
                  chosen={search.application}
                  onChange={(application) => change({ application })}
                />
              )}
            </QueryView>
            <TargetForm key={`${search.token} ${search.container}`} search={search} onChange={change} />
          </div>
        </CardBody>
      </Card>
      {search.application === draftSubject ? (
        <DraftEditor
          draft={draft}
          onChange={(rights) => {
            keepDraft(rights);
            setDraft(rights);
          }}
        />
      ) : null}
      <Results subject={search.application} draft={draft} target={target} />
      {target === undefined ? null : <Onlookers target={target} key={JSON.stringify(target)} />}
    </Page>
  );
}

function toTarget({ token, container }: SimulatorSearch): Target | undefined {
  if (token !== undefined) return { token };
  return container === undefined ? undefined : { container };
}

function Results(results: {
  readonly subject: string | undefined;
  readonly draft: Rights;
  readonly target: Target | undefined;
}) {
  const { subject, draft, target } = results;
  if (subject === undefined || target === undefined) {
    return (
      <div className="card">
        <Empty icon={FlaskConical} title={toHint(subject, target)}>
          <p>
            The vault then says for each permission whether it is granted, which rule decides, and what would be seen.
            No data is read for that.
          </p>
        </Empty>
      </div>
    );
  }
  return <Decisions subject={subject} draft={draft} target={target} />;
}

function toHint(subject: string | undefined, target: Target | undefined): string {
  if (subject !== undefined) return 'Choose a token or a container';
  return target === undefined
    ? 'Choose an application, and a token or a container'
    : 'Choose an application, or write a draft';
}

function Decisions({
  subject,
  draft,
  target,
}: {
  readonly subject: string;
  readonly draft: Rights;
  readonly target: Target;
}) {
  const isDraft = subject === draftSubject;
  const explanation = useQuery({
    queryKey: ['explain', subject, target, isDraft ? draft : undefined],
    queryFn: () => (isDraft ? explainDraft(draft, 'private', target) : explainApplication(subject, target)),
  });
  const application = useQuery({
    queryKey: ['application', subject],
    queryFn: () => getApplication(subject),
    enabled: !isDraft,
  });
  const name = isDraft ? 'The draft' : (application.data?.name ?? 'The application');
  return (
    <QueryView query={explanation} what="decisions">
      {({ decisions, hands_out: handsOut }) => (
        <>
          <Card title={`What ${isDraft ? 'the draft' : name} may do`} note={toPlace(target)}>
            <DecisionTable decisions={decisions} />
            {handsOut === undefined || handsOut.reach.length === 0 ? null : (
              <CardBody>
                {handsOut.reach.map((sentence) => (
                  <p key={sentence} className="banner plain">
                    <Icon of={Eye} />
                    {sentence}
                  </p>
                ))}
              </CardBody>
            )}
          </Card>
          <Likeness
            target={target}
            reading={decisions.find(({ permission }) => permission === 'token:read')}
            name={name}
          />
        </>
      )}
    </QueryView>
  );
}

function toPlace(target: Target): string {
  return 'token' in target ? `with token ${target.token}` : `with tokens in ${target.container}`;
}
