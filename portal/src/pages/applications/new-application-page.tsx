import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Application, type ApplicationType, applicationTypes, permissionsQuery } from '../../api/applications';
import { api, type Schemas, unwrap } from '../../api/client';
import { useMember } from '../../api/me';
import { toRights } from '../../parts/access/rights';
import { Button, buttonClass } from '../../parts/controls/button';
import { ApprovalNotice } from '../../parts/page/approval';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { QueryView } from '../../parts/page/query-view';
import { Failure, NotForRole } from '../../parts/page/states';
import { type ApplicationDraft, emptyDraft, toSettings, withType } from './form/application-draft';
import type { NewApplicationSearch } from './application-search';
import { ApplicationFields } from './form/application-form';
import { typeDescriptions, typeNames } from './application-types';
import { LeaveGuard } from '../../parts/overlay/leave-guard';
import { NewSecret } from './keys/new-secret';
import { StaleSignIn } from '../../parts/page/stale-sign-in';

type Template = Schemas['ApplicationTemplate'];
const route = getRouteApi('/applications/new');

export function NewApplicationPage() {
  const member = useMember();
  const search = route.useSearch();
  const { template: templateId } = search;
  const [created, setCreated] = useState<Application>();
  const templates = useQuery({
    queryKey: ['application-templates'],
    queryFn: () => unwrap(api.GET('/application-templates')),
    staleTime: Infinity,
  });
  if (!member.may('application:create')) {
    return (
      <Page title="New application">
        <NotForRole what="this page" roles="owners and admins" />
      </Page>
    );
  }
  if (created !== undefined) return <Created application={created} />;
  return (
    <Page
      title="New application"
      lead="Give it as little as its work needs. You can change all of it later but its type."
      docs="concepts/containers-and-rules"
      crumbs={[
        <Link key="applications" to="/applications">
          Applications
        </Link>,
      ]}
    >
      <StaleSignIn />
      <QueryView query={templates} what="templates">
        {(list) => (
          <>
            <Templates templates={list} chosen={templateId} />
            <NewApplicationForm
              key={templateId}
              search={search}
              template={list.find(({ id }) => id === templateId)}
              onCreated={setCreated}
            />
          </>
        )}
      </QueryView>
    </Page>
  );
}

function Templates({
  templates,
  chosen,
}: {
  readonly templates: readonly Template[];
  readonly chosen: string | undefined;
}) {
  const navigate = route.useNavigate();
  const choices = [
    { id: '', name: 'From nothing', description: 'Choose type, permissions and rules yourself.' },
    ...templates,
  ];
  return (
    <fieldset>
      <legend>Start from</legend>
      <div className="choices">
        {choices.map(({ id, name, description }) => (
          <label key={id} className="choice">
            <input
              type="radio"
              name="template"
              checked={(chosen ?? '') === id}
              onChange={() => void navigate({ search: { template: id }, replace: true })}
            />
            <span>
              <b>{name}</b>
              <span className="note">{description}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function NewApplicationForm(form: {
  readonly template: Template | undefined;
  readonly search: NewApplicationSearch;
  readonly onCreated: (application: Application) => void;
}) {
  const [first] = useState(() => fromTemplate(form.template, form.search));
  const [draft, setDraft] = useState(first);
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (wanted: ApplicationDraft) =>
      unwrap(api.POST('/applications', { body: { ...toSettings(wanted), type: wanted.type } })),
    onSuccess: async (application) => {
      await queries.invalidateQueries({ queryKey: ['applications'] });
      form.onCreated(application);
    },
  });
  return (
    <form
      className="stack application-form"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(draft);
      }}
    >
      <LeaveGuard isChanged={draft !== first} mayLeave={() => create.isPending || create.isSuccess} />
      <FilledByLink search={form.search} />
      <TypeField draft={draft} onChange={setDraft} />
      <ApplicationFields draft={draft} onChange={setDraft} error={create.error} isNew />
      {create.error === null ? null : <Failure error={create.error} />}
      <div className="actions">
        <Button type="submit" kind="main" disabled={create.isPending}>
          Create the application
        </Button>
        <Link to="/applications" className={buttonClass()}>
          Cancel
        </Link>
      </div>
    </form>
  );
}

/** The parts of the form that a link can fill in, in the words of the form. */
const filledParts = [
  ['name', 'the name'],
  ['type', 'the type'],
  ['permissions', 'the permissions'],
  ['origins', 'the pages'],
] as const;

/** Anybody can send a link, so people who open one are told what they did not choose themselves. */
function FilledByLink({ search }: { readonly search: NewApplicationSearch }) {
  const parts = filledParts.flatMap(([name, label]) => (search[name] === undefined ? [] : [label]));
  if (parts.length === 0) return null;
  return (
    <p className="banner" role="status">
      A link has filled in {new Intl.ListFormat('en').format(parts)}. Check each, unless you know who made the link.
    </p>
  );
}

function TypeField(field: { readonly draft: ApplicationDraft; readonly onChange: (draft: ApplicationDraft) => void }) {
  const { draft, onChange } = field;
  const queries = useQueryClient();
  const choose = async (type: ApplicationType) => {
    const offered = await queries.fetchQuery(permissionsQuery(type));
    onChange(withType(draft, type, new Set(offered.map((permission) => permission.type))));
  };
  return (
    <fieldset>
      <legend>Type</legend>
      <div className="choices">
        {applicationTypes.map((type) => (
          <label key={type} className="choice">
            <input type="radio" name="type" checked={draft.type === type} onChange={() => void choose(type)} />
            <span>
              <b>{typeNames[type]}</b>
              <span className="note">{typeDescriptions[type]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Created({ application }: { readonly application: Application }) {
  return (
    <Page title={`${application.name} was created`}>
      <ApprovalNotice of={application} what="It can do nothing until it is approved, and its key is refused." />
      <Card>
        <CardBody>
          {application.key === undefined ? null : <NewSecret secret={application.key} />}
          <div className="actions">
            <Link
              to="/applications/$applicationId"
              params={{ applicationId: application.id }}
              className={buttonClass({ kind: 'main' })}
            >
              Open the application
            </Link>
          </div>
        </CardBody>
      </Card>
    </Page>
  );
}

/** Fills in what the template or the link says. Names that do not exist are shown when the vault rejects them. */
function fromTemplate(template: Template | undefined, { name = '', ...link }: NewApplicationSearch): ApplicationDraft {
  const type = applicationTypes.find((one) => one === (template?.application_type ?? link.type)) ?? 'private';
  // Pages of origins that are not listed may not use a key in card fields.
  const hasOrigins = type === 'public';
  const origins = (link.origins ?? '').replaceAll(',', '\n');
  if (template !== undefined) return { ...emptyDraft, name, type, hasOrigins, origins, rights: toRights(template) };
  const permissions = (link.permissions ?? '').split(',').filter((permission) => permission !== '');
  return { ...emptyDraft, name, type, hasOrigins, origins, rights: toRights({ permissions, rules: [] }) };
}
