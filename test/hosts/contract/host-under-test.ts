// What the contract of a code host needs from a host: a repository for the test, and a person who pushes to it.
import type { CodeHost, HostRepository } from '../../../src/hosts/port.ts';

export interface HostUnderTest {
  readonly host: CodeHost;
  /** Empty, with the default branch `main`. */
  readonly repository: HostRepository;
  /** Pushes a commit as a person would, and returns its id. */
  readonly push: (commit: {
    readonly branch: string;
    /** The parent. Absent: the tip of the branch. */
    readonly from?: string;
    readonly files: Readonly<Record<string, string>>;
  }) => Promise<string>;
  /** Opens a pull request whose head is a branch of a fork. The commit is in the repository already. */
  readonly openOfFork: (pullRequest: { readonly branch: string; readonly head: string }) => Promise<number>;
  /**
   * The files of a commit with which CI runs the check `test` on heads and bot branches, and which has the workflow.
   */
  readonly ciFiles: Readonly<Record<string, string>>;
  /** The name of the workflow in `ciFiles`. It takes no inputs. */
  readonly workflow: string;
  /** CI ends the newest run of a check with this conclusion. */
  readonly conclude: (check: {
    readonly commit: string;
    readonly name: string;
    readonly conclusion: 'success' | 'failure';
  }) => Promise<void>;
  /** A person protects a base branch, so that it requires these checks. */
  readonly requireChecks: (baseBranch: string, names: readonly string[]) => Promise<void>;
  /** A person comments on a pull request. */
  readonly comment: (comment: {
    readonly number: number;
    readonly body: string;
    readonly by: 'a writer' | 'a stranger';
  }) => Promise<void>;
  readonly close: () => Promise<void>;
}

export type MakeHost = () => Promise<HostUnderTest>;
