// The interface of rules. Rules judge each command of a push before git moves a ref, and every merge and every change of
// a ref by the API.
import type { Actor } from '../model/actor.ts';
import type { PullRequest, Repository } from '../model/types.ts';
import type { RefChange } from './store.ts';
import type { GitInput, GitOutput } from './run.ts';

export interface RefRequest {
  readonly repository: Repository;
  readonly actor: Actor;
  readonly changes: readonly RefChange[];
  readonly via: 'push' | 'api' | 'merge';
  /** The pull request of a merge by the API. */
  readonly pull?: PullRequest;
  /** Runs git with access to the commits of the push. */
  readonly git: (args: readonly string[], input?: GitInput) => Promise<GitOutput>;
}

export interface RefRefusal {
  readonly ref: string;
  /** The reason that git prints in parentheses, such as `protected branch hook declined`. */
  readonly reason: string;
  /**
   * GitHub's lines that git prints after `remote: `. The code is in the first line: `error: GH006: Protected branch …`.
   */
  readonly remote: readonly string[];
  /** The answer of the API to the same refusal. The status is usually 422, or 405 for a merge. */
  readonly api: { readonly status: number; readonly message: string };
}

/** Returns the refused changes. Empty: all changes are allowed. */
export type Rules = (request: RefRequest) => Promise<readonly RefRefusal[]>;

/** Combines rules. If several of them refuse a change, the first refusal is returned. */
export function joinRules(all: readonly Rules[]): Rules {
  return async (request) => {
    const refusals: RefRefusal[] = [];
    for (const rules of all)
      for (const refusal of await rules(request))
        if (!refusals.some(({ ref }) => ref === refusal.ref)) refusals.push(refusal);
    return refusals;
  };
}
