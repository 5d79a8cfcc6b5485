// REST operations of accounts, repositories, pull requests and Apps.
import type { MakePart } from '../part.ts';
import { accountRoutes } from './accounts.ts';
import { appRoutes } from './apps.ts';
import { contentRoutes } from './contents.ts';
import { deliveryRoutes } from './deliveries.ts';
import { gitRoutes } from './git.ts';
import { issueRoutes } from './issues.ts';
import { metaRoutes } from './meta.ts';
import { pullRoutes } from './pulls.ts';
import { repositoryRoutes } from './repositories.ts';
import { reviewRoutes } from './reviews.ts';

export const restPart: MakePart = () => ({
  routes: [
    ...metaRoutes,
    ...accountRoutes,
    ...appRoutes,
    ...deliveryRoutes,
    ...repositoryRoutes,
    ...gitRoutes,
    ...contentRoutes,
    ...pullRoutes,
    ...reviewRoutes,
    ...issueRoutes,
  ],
});
