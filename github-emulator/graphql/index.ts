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
import type { Sight, Views } from './sight.ts';
import { viewComment, viewReview, viewThread } from './talk.ts';
import { viewTimeline } from './timeline.ts';

export const graphqlPart: MakePart = (core) => ({
  graphql: async (request) => {
    const sight = lookAs(core, request.actor);
    return await executeGraphql(core, request, (cost) => ({ ...viewQuery(sight, cost), ...viewMutation(sight) }));
  },
});

/** What an asker sees, with every view at hand. */
function lookAs(core: Core, actor: Actor): Sight {
  const views: Views = {
    repository: (repository) => viewRepository(sight, repository),
    label: (repository, label) => viewLabel(sight, repository, label),
    pull: (repository, pull) => viewPull(sight, repository, pull),
    comment: (place, comment) => viewComment(sight, place, comment),
    review: (place, review) => viewReview(sight, place, review),
    thread: (place, thread) => viewThread(sight, place, thread),
    timeline: (place, given) => viewTimeline(sight, place, given),
    commitOf: async (repository, sha) => await viewCommitOf(sight, repository, sha),
    ref: (repository, ref, sha) => viewRef(sight, repository, { ref, sha }),
    refOf: async (repository, ref) => await viewRefOf(sight, repository, ref),
    checkSuite: (repository, suite) => viewCheckSuite(sight, repository, suite),
    statuses: (repository, sha) => viewStatuses(sight, repository, sha),
    rollup: (repository, sha) => viewRollup(sight, repository, sha),
    refRule: (repository, branch) => viewRefRule(sight, repository, branch),
    rulesOf: (repository, ref, given) => viewRulesOf(sight, repository, ref, given),
    protectionOf: (repository, branch) => viewProtectionOf(sight, repository, branch),
    protections: (repository, given) => viewProtections(sight, repository, given),
    ruleset: (repository, ruleset) => viewRuleset(sight, repository, ruleset),
  };
  const sight: Sight = { core, actor, views };
  return sight;
}
