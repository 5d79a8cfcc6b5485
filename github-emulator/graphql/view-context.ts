// Views for one actor. A view turns a row into an object whose functions resolve the fields.
import { canSee, hasRole, mustHave, type Actor, type Need } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import type {
  CheckSuite,
  IssueComment,
  Label,
  PullRequest,
  Repository,
  Review,
  ReviewThread,
  Ruleset,
} from '../model/types.ts';

export interface ViewContext {
  readonly core: Core;
  readonly actor: Actor;
  /** All views by name. They refer to each other in cycles, like GitHub's types. */
  readonly views: Views;
}

export type View = Readonly<Record<string, unknown>>;

export interface PullPlace {
  readonly repository: Repository;
  readonly pull: PullRequest;
}

export interface Views {
  repository(repository: Repository): View;
  label(repository: Repository, label: Label): View;
  pull(repository: Repository, pull: PullRequest): View;
  comment(place: PullPlace, comment: IssueComment): View;
  review(place: PullPlace, review: Review): View;
  thread(place: PullPlace, thread: ReviewThread): View;
  timeline(place: PullPlace, given: object): object;
  commitOf(repository: Repository, sha: string): Promise<View | null>;
  ref(repository: Repository, ref: string, sha: string): View;
  refOf(repository: Repository, ref: string): Promise<View | null>;
  checkSuite(repository: Repository, suite: CheckSuite): View;
  statuses(repository: Repository, sha: string): View | null;
  rollup(repository: Repository, sha: string): View | null;
  refRule(repository: Repository, branch: string): View | null;
  rulesOf(repository: Repository, ref: string, given: object): object;
  protectionOf(repository: Repository, branch: string): View | null;
  protections(repository: Repository, given: object): object;
  ruleset(repository: Repository, ruleset: Ruleset): View;
}

export const needs = {
  pulls: { permission: ['pull_requests', 'issues'], level: 'read' },
  contents: { permission: 'contents', level: 'read' },
  checks: { permission: 'checks', level: 'read' },
  statuses: { permission: 'statuses', level: 'read' },
  administration: { permission: 'administration', level: 'read' },
} as const satisfies Record<string, Need>;

/** Guards a field by a permission. Throws FORBIDDEN if the field is selected and the actor lacks the permission. */
export function guardField<Given extends object>(
  { core, actor }: ViewContext,
  repository: Repository,
  need: Need,
  answer: (given: Given) => unknown,
): (given: Given) => unknown {
  return (given) => {
    mustHave(core, actor, { repository, need });
    return answer(given);
  };
}

export function sees({ core, actor }: ViewContext, repository: Repository): boolean {
  return canSee(core, actor, repository);
}

export function mayPush({ core, actor }: ViewContext, repository: Repository): boolean {
  return hasRole(core, actor, { repository, role: 'write' });
}

/** The enum value of GraphQL for a word of REST. */
export function enumOf(word: string | null): string | null {
  return word === null ? null : word.toUpperCase();
}
