import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
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
import { writeSearch, readSearch } from './search-text';

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
const application = createRoute({
  getParentRoute: () => root,
  path: '/applications/$applicationId',
  validateSearch: parseApplicationSearch,
  component: lazyRouteComponent(() => import('./pages/applications/application-page'), 'ApplicationPage'),
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
  component: lazyRouteComponent(() => import('./pages/members/members-page'), 'MembersPage'),
});
const encryptionKeys = createRoute({
  getParentRoute: () => root,
  path: '/encryption-keys',
  component: lazyRouteComponent(() => import('./pages/encryption-keys/encryption-keys-page'), 'EncryptionKeysPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    audit,
    tokens,
    token,
    applications,
    newApplication,
    application,
    sessions,
    simulator,
    members,
    encryptionKeys,
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
