import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { DomainError } from '../domain/errors.ts';
import { readApiToken } from '../modules/accounts/accounts.reads.ts';
import { readTeam } from '../modules/accounts/teams.reads.ts';
import { readUser } from '../modules/accounts/users.reads.ts';
import { batchById, botPullRequestById } from '../modules/queue/api/batches.reads.ts';
import { pullRequestById } from '../modules/queue/api/pull-requests.reads.ts';
import { queueById } from '../modules/queue/api/queue.reads.ts';
import { candidateById, releaseById } from '../modules/releases/candidates.reads.ts';
import { deploymentById } from '../modules/releases/deployments.reads.ts';
import { environmentById, releaseProjectById } from '../modules/releases/projects.reads.ts';
import { runbookById } from '../modules/runbooks/runbooks.reads.ts';
import { readPreviewImage } from '../modules/previews/images/images.reads.ts';
import { registrationById } from '../modules/previews/registrations/registrations.reads.ts';
import { readPreviewSecret } from '../modules/previews/secrets/secrets.reads.ts';
import { verificationById } from '../modules/previews/verifications/verifications.reads.ts';
import { toFreezeNode } from '../modules/repositories/freezes.types.ts';
import { readEmbedLink } from '../modules/repositories/embed-links.reads.ts';
import { maySee, maySeeInside, readFreeze, readRepositoriesById } from '../modules/repositories/index.ts';
import { readSlackDestination } from '../modules/slack/slack.reads.ts';
import { readDelivery, readWebhookEndpoint } from '../modules/webhooks/webhooks.reads.ts';
import { loaderOf, type GraphQLContext } from './context.ts';
import { decodeNodeId } from './node-id.ts';
import { Node } from './node.ts';

type Found = object | null | undefined;

// For each type that implements Node, the function that reads a row of the caller's account.
const readers: Readonly<Record<string, (ctx: GraphQLContext, id: string) => Promise<Found>>> = {
  Repository: async (ctx, id) => (await readRepositoriesById(ctx, [id]))[0],
  PullRequest: async (ctx, id) => await loaderOf(ctx, pullRequestById).load(id),
  BotPullRequest: async (ctx, id) => await loaderOf(ctx, botPullRequestById).load(id),
  Batch: async (ctx, id) => await loaderOf(ctx, batchById).load(id),
  Queue: async (ctx, id) => await loaderOf(ctx, queueById).load(id),
  Freeze: async (ctx, id) => {
    const freeze = await readFreeze(ctx, id);
    return freeze === null ? null : toFreezeNode(freeze);
  },
  ApiToken: readApiToken,
  User: readUser,
  Team: readTeam,
  EmbedLink: readEmbedLink,
  WebhookEndpoint: readWebhookEndpoint,
  SlackDestination: readSlackDestination,
  WebhookDelivery: readDelivery,
  ReleaseProject: async (ctx, id) => await loaderOf(ctx, releaseProjectById).load(id),
  Environment: async (ctx, id) => await loaderOf(ctx, environmentById).load(id),
  Release: async (ctx, id) => await loaderOf(ctx, releaseById).load(id),
  ReleaseCandidate: async (ctx, id) => await loaderOf(ctx, candidateById).load(id),
  Deployment: async (ctx, id) => await loaderOf(ctx, deploymentById).load(id),
  PreviewImage: readPreviewImage,
  PreviewSecret: readPreviewSecret,
  Verification: async (ctx, id) => await loaderOf(ctx, verificationById).load(id),
  PreviewRegistration: async (ctx, id) => await loaderOf(ctx, registrationById).load(id),
  Runbook: async (ctx, id) => await loaderOf(ctx, runbookById).load(id),
};

export const nodeTypes: readonly string[] = Object.keys(readers);
const maxNodes = 100;

@Resolver()
export class NodeResolver {
  @Query(() => Node, {
    nullable: true,
    description: 'Any object by its id. Null if the account has no object with this id. Needs the scope of the object.',
  })
  async node(
    @Ctx() ctx: GraphQLContext,
    @Arg('id', () => ID, { description: 'An id that an answer of this service contained.' }) id: string,
  ): Promise<Node | null> {
    return await readNode(ctx, id);
  }

  @Query(() => [Node], {
    nullable: 'items',
    description: 'Like `node`, for at most 100 ids, in their order. Needs the scopes of all these objects.',
  })
  async nodes(
    @Ctx() ctx: GraphQLContext,
    @Arg('ids', () => [ID], { description: 'Ids that answers of this service contained.' }) ids: string[],
  ): Promise<(Node | null)[]> {
    if (ids.length > maxNodes) throw new DomainError('BAD_INPUT', `ids must be at most ${maxNodes}`, 'ids');
    return await Promise.all(ids.map(async (id) => await readNode(ctx, id)));
  }
}

async function readNode(ctx: GraphQLContext, nodeId: string): Promise<Node | null> {
  const named = decodeNodeId(nodeId);
  const read = named === null ? undefined : readers[named.type];
  const found = named === null || read === undefined ? null : await read(ctx, named.id);
  if (!found || !(await isSeen(ctx, found))) return null;
  return { ...found, __typename: named?.type } as unknown as Node;
}

type Seen = Parameters<typeof maySee>[1];

/**
 * A row from which its repository can be found: the row is a repository, has a repository or its id, or has the id of a
 * release project or of an environment.
 */
type InRepository = Partial<Seen> & {
  readonly repository?: Seen;
  readonly repositoryId?: string | null;
  readonly projectId?: string;
  readonly environmentId?: string | null;
};

/** People who signed in with GitHub see only objects of repositories that they can see at GitHub. */
async function isSeen(ctx: GraphQLContext, found: InRepository): Promise<boolean> {
  if (ctx.actor.personAtGitHub === null) return true;
  const repository = found.repository ?? (found.host === undefined ? null : (found as Seen));
  if (repository !== null) return await maySee(ctx, { ...repository, accountId: ctx.accountId });
  const { repositoryId, environmentId } = found;
  const projectId =
    found.projectId ?? (environmentId ? await loaderOf(ctx, environmentById).load(environmentId) : null)?.projectId;
  const project = projectId === undefined ? null : await loaderOf(ctx, releaseProjectById).load(projectId);
  const id = repositoryId ?? project?.repositoryId;
  return id === undefined || (await maySeeInside(ctx, id));
}
