import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { applicationsQuery } from '../../api/applications';
import { useMember } from '../../api/me';
import { Problem } from '../../api/problem';
import { createRoute, type StoredProxy } from '../../api/routes';
import { Button, buttonClass } from '../../parts/controls/button';
import { LeaveGuard } from '../../parts/overlay/leave-guard';
import { Card, CardBody } from '../../parts/page/card';
import { Page } from '../../parts/page/page';
import { StaleSignIn } from '../../parts/page/stale-sign-in';
import { Failure, NotForRole } from '../../parts/page/states';
import { RouteCard, RouteSentences } from './route-card';
import { type Recipe, recipeNames, type RouteDraft, recipes, toSettings } from './route-draft';
import { RouteFields } from './route-fields';
import { describeRoute } from './route-sentences';
import { RouteTester } from './route-tester';
import { TransformRows } from './transform-rows';

export function NewRoutePage() {
  const member = useMember();
  const [created, setCreated] = useState<StoredProxy>();
  const [recipe, setRecipe] = useState<Recipe>('partner');
  // Each recipe keeps its own draft, so that nothing is lost by looking at another one.
  const [firsts] = useState(makeDrafts);
  const [drafts, setDrafts] = useState(firsts);
  if (!member.may('proxy:create')) {
    return (
      <Page title="New route">
        <NotForRole what="this page" roles="owners and admins" />
      </Page>
    );
  }
  if (created !== undefined) return <Created route={created} />;
  return (
    <Page
      title="New route"
      lead="A route declares what happens to each message, so that everybody can read it. It runs no code."
      docs="guides/stored-proxies"
      crumbs={[
        <Link key="routes" to="/routes">
          Routes
        </Link>,
      ]}
    >
      <StaleSignIn />
      <fieldset>
        <legend>Start from</legend>
        <div className="choices">
          {recipeNames.map((id) => (
            <label key={id} className="choice">
              <input type="radio" name="recipe" checked={recipe === id} onChange={() => setRecipe(id)} />
              <span>
                <b>{recipes[id].name}</b>
                <span className="note">{recipes[id].note}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <NewRouteForm
        key={recipe}
        draft={drafts[recipe]}
        setDraft={(draft) => setDrafts({ ...drafts, [recipe]: draft })}
        isChanged={recipeNames.some((name) => drafts[name] !== firsts[name])}
        onCreated={setCreated}
      />
    </Page>
  );
}

function makeDrafts(): Readonly<Record<Recipe, RouteDraft>> {
  return { partner: recipes.partner.make(), provider: recipes.provider.make(), nothing: recipes.nothing.make() };
}

function NewRouteForm(form: {
  readonly draft: RouteDraft;
  readonly setDraft: (draft: RouteDraft) => void;
  readonly isChanged: boolean;
  readonly onCreated: (route: StoredProxy) => void;
}) {
  const { draft, setDraft, isChanged } = form;
  const queries = useQueryClient();
  const applications = useQuery(applicationsQuery);
  const lenders = (applications.data ?? []).filter(({ type }) => type === 'private');
  const create = useMutation({
    mutationFn: () => createRoute(toSettings(draft)),
    onSuccess: async (route) => {
      await queries.invalidateQueries({ queryKey: ['routes'] });
      form.onCreated(route);
    },
  });
  const settings = toSettings(draft);
  const rights = lenders.find(({ id }) => id === draft.applicationId)?.name;
  const fields = create.error instanceof Problem ? create.error.fields : {};
  return (
    <form
      className="stack route-form"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <LeaveGuard isChanged={isChanged} mayLeave={() => create.isPending || create.isSuccess} />
      <RouteFields draft={draft} lenders={lenders} errors={fields} onChange={setDraft} />
      {(['request', 'response'] as const).map((side) => (
        <TransformRows
          key={side}
          side={side}
          transforms={draft[side]}
          onChange={(transforms) => setDraft({ ...draft, [side]: transforms })}
        />
      ))}
      <RouteTester draft={draft} />
      <Card title="What this route may do">
        <CardBody>
          <RouteSentences sentences={describeRoute(toDescribed(settings), rights)} />
        </CardBody>
      </Card>
      {create.error === null ? null : <Failure error={create.error} />}
      <div className="actions">
        <Button type="submit" kind="main" disabled={create.isPending}>
          Create the route
        </Button>
        <Link to="/routes" className={buttonClass()}>
          Cancel
        </Link>
      </div>
    </form>
  );
}

/** Returns settings without the members that a stored proxy never has. */
function toDescribed(settings: ReturnType<typeof toSettings>): Parameters<typeof describeRoute>[0] {
  const { require_auth, destination_url, allowed_sources, caller_check, request_transforms, response_transforms } =
    settings;
  return {
    require_auth: require_auth ?? true,
    destination_url,
    ...(allowed_sources === undefined || allowed_sources === null ? {} : { allowed_sources }),
    ...(caller_check === undefined || caller_check === null ? {} : { caller_check }),
    request_transforms: request_transforms ?? [],
    response_transforms: response_transforms ?? [],
  };
}

function Created({ route }: { readonly route: StoredProxy }) {
  const applications = useQuery(applicationsQuery);
  return (
    <Page title={`${route.name} was created`} lead="Callers name it by its key, in the header BT-PROXY-KEY." hasTimes>
      <RouteCard route={route} rights={applications.data?.find(({ id }) => id === route.application_id)?.name} />
      <div className="actions">
        <Link to="/routes" className={buttonClass({ kind: 'main' })}>
          All routes
        </Link>
      </div>
    </Page>
  );
}
