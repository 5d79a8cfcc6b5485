// GraphQL over GitHub's own schema.
import type { Actor } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import type { MakePart } from '../part.ts';
import { viewCheckSuite, viewRollup, viewStatuses } from './checks.ts';
import { viewCommitOf, viewRef, viewRefOf } from './commits.ts';
import { executeGraphql } from './execute.ts';
import { viewMutation } from './mutations.ts';
import { viewPull } from './pulls.ts';
import { viewQuery } from './query.ts';
import { viewLabel, viewRepository } from './repository.ts';
import { viewProtectionOf, viewProtections, viewRefRule, viewRuleset, viewRulesOf } from './rules.ts';
import type { ViewContext, Views } from './view-context.ts';
import { viewComment, viewReview, viewThread } from './conversations.ts';
import { viewTimeline } from './timeline.ts';

export const graphqlPart: MakePart = (core) => ({
  graphql: async (request) => {
    const context = createViewContext(core, request.actor);
    return await executeGraphql(core, request, (cost) => ({ ...viewQuery(context, cost), ...viewMutation(context) }));
  },
});

/** Makes the context of the views for one actor. */
function createViewContext(core: Core, actor: Actor): ViewContext {
  const views: Views = {
    repository: (repository) => viewRepository(context, repository),
    label: (repository, label) => viewLabel(context, repository, label),
    pull: (repository, pull) => viewPull(context, repository, pull),
    comment: (place, comment) => viewComment(context, place, comment),
    review: (place, review) => viewReview(context, place, review),
    thread: (place, thread) => viewThread(context, place, thread),
    timeline: (place, given) => viewTimeline(context, place, given),
    commitOf: async (repository, sha) => await viewCommitOf(context, repository, sha),
    ref: (repository, ref, sha) => viewRef(context, repository, { ref, sha }),
    refOf: async (repository, ref) => await viewRefOf(context, repository, ref),
    checkSuite: (repository, suite) => viewCheckSuite(context, repository, suite),
    statuses: (repository, sha) => viewStatuses(context, repository, sha),
    rollup: (repository, sha) => viewRollup(context, repository, sha),
    refRule: (repository, branch) => viewRefRule(context, repository, branch),
    rulesOf: (repository, ref, given) => viewRulesOf(context, repository, { ref, given }),
    protectionOf: (repository, branch) => viewProtectionOf(context, repository, branch),
    protections: (repository, given) => viewProtections(context, repository, given),
    ruleset: (repository, ruleset) => viewRuleset(context, repository, ruleset),
  };
  const context: ViewContext = { core, actor, views };
  return context;
}
