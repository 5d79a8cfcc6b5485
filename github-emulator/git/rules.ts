// Where rules of branches judge: every command of a push before git moves a ref, and every merge and every change of a
// ref by the API.
import type { Actor } from '../model/actor.ts';
import type { PullRequest, Repository } from '../model/types.ts';
import type { RefChange } from './store.ts';
import type { GitInput, GitOutput } from './run.ts';

export interface RefRequest {
  readonly repository: Repository;
  readonly actor: Actor;
  readonly changes: readonly RefChange[];
  readonly via: 'push' | 'api' | 'merge';
  /** Of a merge by the API. */
  readonly pull?: PullRequest;
  /** Runs git where the commits of the push are already visible. */
  readonly git: (args: readonly string[], input?: GitInput) => Promise<GitOutput>;
}

export interface RefRefusal {
  readonly ref: string;
  /** What git prints in parentheses: `protected branch hook declined`. */
  readonly reason: string;
  /** What git prints after `remote: `, in GitHub's text, with the code first: `error: GH006: Protected branch …`. */
  readonly remote: readonly string[];
  /** What the API answers instead: status (usually 422, of a merge 405) and message. */
  readonly api: { readonly status: number; readonly message: string };
}

/** Answers the refused changes. Empty: all may happen. */
export type Rules = (request: RefRequest) => Promise<readonly RefRefusal[]>;

/** All rules together. Each change is refused by the first that refuses it. */
export function joinRules(all: readonly Rules[]): Rules {
  return async (request) => {
    const refusals: RefRefusal[] = [];
    for (const rules of all)
      for (const refusal of await rules(request))
        if (!refusals.some(({ ref }) => ref === refusal.ref)) refusals.push(refusal);
    return refusals;
  };
}
