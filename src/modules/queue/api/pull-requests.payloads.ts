// Makes the payloads of the mutations of a pull request.
import { loaderOf, type GraphQLContext } from '../../../graphql/context.ts';
import type { PullRequestPreview } from '../requests/queue.service.ts';
import { toImpact } from './dry-run.types.ts';
import { pullRequestById } from './pull-requests.reads.ts';
import type { PullRequestPayload } from './pull-requests.types.ts';

export async function previewPayload(ctx: GraphQLContext, preview: PullRequestPreview): Promise<PullRequestPayload> {
  const { pullRequest } = await payload(ctx, preview);
  return { pullRequest, impact: toImpact(preview.impacts, preview.notAdmitted) };
}

export async function payload(
  ctx: GraphQLContext,
  { pullRequestId }: { readonly pullRequestId: string },
): Promise<PullRequestPayload> {
  const pullRequest = await loaderOf(ctx, pullRequestById).load(pullRequestId);
  if (!pullRequest) throw new Error(`The pull request ${pullRequestId} does not exist after its change.`);
  return { pullRequest };
}
