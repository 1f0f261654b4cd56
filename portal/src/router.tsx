import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import {
  parseApplicationSearch,
  parseApplicationsSearch,
  parseNewApplicationSearch,
} from './pages/applications/application-search';
import { parseAuditSearch } from './pages/audit/audit-search';
import { BrokenPage } from './pages/frame/broken-page';
import { Frame } from './pages/frame/frame';
import { NoPage } from './pages/frame/no-page';
import { parseSessionSearch } from './pages/sessions/session-search';
import { parseSimulatorSearch } from './pages/simulator/simulator-search';
import { parseTokenSearch } from './pages/tokens/token-search';
import { parseWebhookSearch } from './pages/webhooks/webhook-search';
import { pickSearch, writeSearch, readSearch } from './search-text';

/** The root of all pages. Each page's code is loaded when the page is opened. */
const root = createRootRoute({ component: Frame, notFoundComponent: NoPage });
const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/overview-page'), 'OverviewPage'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: parseAuditSearch,
  component: lazyRouteComponent(() => import('./pages/audit/audit-page'), 'AuditPage'),
});
const alerts = createRoute({
  getParentRoute: () => root,
  path: '/alerts',
  component: lazyRouteComponent(() => import('./pages/alerts/alerts-page'), 'AlertsPage'),
});
const tokens = createRoute({
  getParentRoute: () => root,
  path: '/tokens',
  validateSearch: parseTokenSearch,
  component: lazyRouteComponent(() => import('./pages/tokens/tokens-page'), 'TokensPage'),
});
const token = createRoute({
  getParentRoute: () => root,
  path: '/tokens/$tokenId',
  component: lazyRouteComponent(() => import('./pages/tokens/token-page'), 'TokenPage'),
});
const newToken = createRoute({
  getParentRoute: () => root,
  path: '/new-token',
  component: lazyRouteComponent(() => import('./pages/new-token/new-token-page'), 'NewTokenPage'),
});
const applications = createRoute({
  getParentRoute: () => root,
  path: '/applications',
  validateSearch: parseApplicationsSearch,
  component: lazyRouteComponent(() => import('./pages/applications/applications-page'), 'ApplicationsPage'),
});
const newApplication = createRoute({
  getParentRoute: () => root,
  path: '/applications/new',
  validateSearch: parseNewApplicationSearch,
  component: lazyRouteComponent(() => import('./pages/applications/new-application-page'), 'NewApplicationPage'),
});
/** The address that links of the original portal use. */
const createApplication = createRoute({
  getParentRoute: () => root,
  path: '/applications/create',
  validateSearch: parseNewApplicationSearch,
  beforeLoad: ({ search }) => redirect({ to: '/applications/new', search, throw: true }),
});
const application = createRoute({
  getParentRoute: () => root,
  path: '/applications/$applicationId',
  validateSearch: parseApplicationSearch,
  component: lazyRouteComponent(() => import('./pages/applications/application-page'), 'ApplicationPage'),
});
const routes = createRoute({
  getParentRoute: () => root,
  path: '/routes',
  component: lazyRouteComponent(() => import('./pages/routes/routes-page'), 'RoutesPage'),
});
const newRoute = createRoute({
  getParentRoute: () => root,
  path: '/routes/new',
  component: lazyRouteComponent(() => import('./pages/routes/new-route-page'), 'NewRoutePage'),
});
const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: parseSessionSearch,
  component: lazyRouteComponent(() => import('./pages/sessions/sessions-page'), 'SessionsPage'),
});
const simulator = createRoute({
  getParentRoute: () => root,
  path: '/simulator',
  validateSearch: parseSimulatorSearch,
  component: lazyRouteComponent(() => import('./pages/simulator/simulator-page'), 'SimulatorPage'),
});
const members = createRoute({
  getParentRoute: () => root,
  path: '/members',
  validateSearch: (search: Record<string, unknown>) => pickSearch(search, ['invite']),
  component: lazyRouteComponent(() => import('./pages/members/members-page'), 'MembersPage'),
});
const memberRoute = createRoute({
  getParentRoute: () => root,
  path: '/members/$userId',
  component: lazyRouteComponent(() => import('./pages/members/member-page'), 'MemberPage'),
});
const jobs = createRoute({
  getParentRoute: () => root,
  path: '/jobs',
  component: lazyRouteComponent(() => import('./pages/jobs/jobs-page'), 'JobsPage'),
});
const encryptionKeys = createRoute({
  getParentRoute: () => root,
  path: '/encryption-keys',
  component: lazyRouteComponent(() => import('./pages/encryption-keys/encryption-keys-page'), 'EncryptionKeysPage'),
});
const retention = createRoute({
  getParentRoute: () => root,
  path: '/retention',
  component: lazyRouteComponent(() => import('./pages/retention/retention-page'), 'RetentionPage'),
});
const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/webhooks/webhooks-page'), 'WebhooksPage'),
});
const webhook = createRoute({
  getParentRoute: () => root,
  path: '/webhooks/$webhookId',
  validateSearch: parseWebhookSearch,
  component: lazyRouteComponent(() => import('./pages/webhooks/webhook-page'), 'WebhookPage'),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/settings-page'), 'SettingsPage'),
});

const kit = createRoute({
  getParentRoute: () => root,
  path: '/kit',
  component: lazyRouteComponent(() => import('./pages/kit/kit-page'), 'KitPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    alerts,
    audit,
    tokens,
    token,
    newToken,
    applications,
    newApplication,
    createApplication,
    application,
    routes,
    newRoute,
    sessions,
    simulator,
    members,
    memberRoute,
    jobs,
    encryptionKeys,
    webhooks,
    retention,
    webhook,
    settings,
    kit,
  ]),
  basepath: '/portal',
  defaultErrorComponent: BrokenPage,
  defaultPreload: 'intent',
  scrollRestoration: true,
  parseSearch: readSearch,
  stringifySearch: writeSearch,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
