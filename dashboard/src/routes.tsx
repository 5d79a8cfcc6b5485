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

/** The choices and filters in the address of a page. */
interface Search {
  readonly select?: number | undefined;
  /** An instant: the page shows the state of then. */
  readonly at?: string | undefined;
  readonly show?: string | undefined;
  readonly text?: string | undefined;
  readonly tab?: string | undefined;
  /** How many days the analytics cover. Left out: 30. */
  readonly days?: 7 | 90 | undefined;
  /** The base branch whose builds and estimates the analytics show. Left out: every branch. */
  readonly branch?: string | undefined;
  /** Left out: as charts. */
  readonly as?: 'table' | undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

// The API accepts only instants with seconds and a time zone.
function instantOf(value: unknown): string | undefined {
  const at = typeof value === 'string' ? new Date(value) : null;
  return at === null || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

// In each `validateSearch`, a value that means nothing becomes `undefined`. A key that is left out would keep the value.
const root = createRootRoute({ component: Shell, notFoundComponent: Lost, errorComponent: PageFailure });

const home = createRoute({ getParentRoute: () => root, path: '/', component: Home });
const repository = createRoute({ getParentRoute: () => root, path: '/$owner/$name', component: Home });

const queue = createRoute({
  getParentRoute: () => root,
  path: '/$owner/$name/queue/$',
  component: QueuePage,
  validateSearch: ({ select, at }: Record<string, unknown>): Pick<Search, 'select' | 'at'> => ({
    select: Number.isInteger(Number(select)) && Number(select) > 0 ? Number(select) : undefined,
    at: instantOf(at),
  }),
});

const pulls = createRoute({
  getParentRoute: () => root,
  path: '/$owner/$name/pulls',
  component: lazyRouteComponent(() => import('./queue/pulls-page.tsx'), 'PullsPage'),
  validateSearch: ({ show, text }: Record<string, unknown>): Pick<Search, 'show' | 'text'> => ({
    show: textOf(show),
    text: textOf(text),
  }),
});

const pull = createRoute({
  getParentRoute: () => root,
  path: '/$owner/$name/pull/$number',
  component: lazyRouteComponent(() => import('./queue/pull-request-page.tsx'), 'PullRequestPage'),
  validateSearch: ({ tab, at }: Record<string, unknown>): Pick<Search, 'tab' | 'at'> => ({
    tab: textOf(tab),
    at: instantOf(at),
  }),
});

/** Pages whose parameters are in the path. Only filters and choices are in the query. */
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
    validateSearch: ({ days, branch, as }: Record<string, unknown>): Pick<Search, 'days' | 'branch' | 'as'> => ({
      days: days === 7 || days === 90 ? days : undefined,
      branch: textOf(branch),
      as: as === 'table' ? as : undefined,
    }),
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
    validateSearch: ({ show }: Record<string, unknown>): Pick<Search, 'show'> => ({ show: textOf(show) }),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings/people',
    component: lazyRouteComponent(() => import('./accounts/people-page.tsx'), 'PeoplePage'),
    validateSearch: ({ text }: Record<string, unknown>): Pick<Search, 'text'> => ({ text: textOf(text) }),
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

const texts = ['text', 'branch'];

/**
 * The router reads `1e5` as a number, and `true` as a boolean. The text of a filter and the name of a branch stay as a
 * person wrote them. The router itself writes such a text in quotation marks, and reads it as a text.
 */
function parseSearch(search: string): Record<string, unknown> {
  const parsed = defaultParseSearch(search) as Record<string, unknown>;
  const isMisread = (name: string): boolean => parsed[name] !== undefined && typeof parsed[name] !== 'string';
  const written = new URLSearchParams(search);
  return { ...parsed, ...Object.fromEntries(texts.filter(isMisread).map((name) => [name, written.get(name)])) };
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
