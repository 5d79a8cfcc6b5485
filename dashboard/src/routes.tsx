// Every page and its address. Pages besides the queue are loaded when they are opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
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
  validateSearch: ({ select }: Record<string, unknown>): { readonly select?: number } =>
    Number.isInteger(Number(select)) && Number(select) > 0 ? { select: Number(select) } : {},
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

export const router = createRouter({
  routeTree: root.addChildren([home, repository, queue, pulls, pull]),
  defaultPendingComponent: Waiting,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
