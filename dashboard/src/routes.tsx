// Every page and its address. All pages except the page of the queue are loaded when they are opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  defaultParseSearch,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { Shell } from './app/shell.tsx';
import { Home } from './app/home.tsx';
import { Lost, PageFailure } from './app/lost.tsx';
import { Waiting } from './design/parts.tsx';
import { QueuePage } from './queue/queue-page.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: Lost, errorComponent: PageFailure });

const home = createRoute({ getParentRoute: () => root, path: '/', component: Home });
const repository = createRoute({ getParentRoute: () => root, path: '/$owner/$name', component: Home });

const queue = createRoute({
  getParentRoute: () => root,
  path: '/$owner/$name/queue/$',
  component: QueuePage,
  validateSearch: ({ select, at }: Record<string, unknown>): { readonly select?: number; readonly at?: string } => ({
    ...(Number.isInteger(Number(select)) && Number(select) > 0 && { select: Number(select) }),
    ...(typeof at === 'string' && !Number.isNaN(Date.parse(at)) && { at }),
  }),
});

const pulls = createRoute({
  getParentRoute: () => root,
  path: '/$owner/$name/pulls',
  component: lazyRouteComponent(() => import('./queue/pulls-page.tsx'), 'PullsPage'),
  validateSearch: ({ show, text }: Record<string, unknown>): { readonly show?: string; readonly text?: string } => ({
    ...(typeof show === 'string' && { show }),
    ...(typeof text === 'string' && { text }),
  }),
});

const pull = createRoute({
  getParentRoute: () => root,
  path: '/$owner/$name/pull/$number',
  component: lazyRouteComponent(() => import('./queue/pull-request-page.tsx'), 'PullRequestPage'),
  validateSearch: ({ tab, at }: Record<string, unknown>): { readonly tab?: string; readonly at?: string } => ({
    ...(typeof tab === 'string' && { tab }),
    ...(typeof at === 'string' && !Number.isNaN(Date.parse(at)) && { at }),
  }),
});

/** Pages whose parameters are in the path. Only the filters of lists are in the query. */
const pages = [
  createRoute({
    getParentRoute: () => root,
    path: '/releases',
    component: lazyRouteComponent(() => import('./releases/releases-page.tsx'), 'ReleaseProjectsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/releases/$project',
    component: lazyRouteComponent(() => import('./releases/releases-page.tsx'), 'ReleasesPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$owner/$name/runbooks',
    component: lazyRouteComponent(() => import('./runbooks/runbooks-page.tsx'), 'RunbooksPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/runbooks/$number',
    component: lazyRouteComponent(() => import('./runbooks/runbook-page.tsx'), 'RunbookPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$owner/$name/previews',
    component: lazyRouteComponent(() => import('./previews/previews-page.tsx'), 'PreviewsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$owner/$name/analytics',
    component: lazyRouteComponent(() => import('./analytics/analytics-page.tsx'), 'AnalyticsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$owner/$name/configuration',
    component: lazyRouteComponent(() => import('./repositories/configuration-page.tsx'), 'ConfigurationPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/$owner/$name/screens',
    component: lazyRouteComponent(() => import('./repositories/screens-page.tsx'), 'ScreensPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/welcome',
    component: lazyRouteComponent(() => import('./repositories/first-run.tsx'), 'FirstRun'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/activity',
    component: lazyRouteComponent(() => import('./events/activity-page.tsx'), 'ActivityPage'),
    validateSearch: ({ show }: Record<string, unknown>): { readonly show?: string } => ({
      ...(typeof show === 'string' && { show }),
    }),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings/people',
    component: lazyRouteComponent(() => import('./accounts/people-page.tsx'), 'PeoplePage'),
    validateSearch: ({ text }: Record<string, unknown>): { readonly text?: string } => ({
      ...(typeof text === 'string' && { text }),
    }),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings/tokens',
    component: lazyRouteComponent(() => import('./accounts/tokens-page.tsx'), 'TokensPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings/webhooks',
    component: lazyRouteComponent(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  }),
] as const;

/**
 * The router reads `1e5` as a number, and `true` as a boolean. The text of a filter stays as a person wrote it. The
 * router itself writes such a text in quotation marks, and reads it as a text.
 */
function parseSearch(search: string): Record<string, unknown> {
  const parsed = defaultParseSearch(search) as Record<string, unknown>;
  if (parsed['text'] === undefined || typeof parsed['text'] === 'string') return parsed;
  return { ...parsed, text: new URLSearchParams(search).get('text') };
}

export const router = createRouter({
  parseSearch,
  routeTree: root.addChildren([home, repository, queue, pulls, pull, ...pages]),
  defaultPendingComponent: Waiting,
  // React makes a new page for another repository, branch or pull request. Otherwise the page would show the rows of the
  // former one until it has read its own.
  defaultRemountDeps: ({ params }) => params,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
