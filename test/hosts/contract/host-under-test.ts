// What the contract of a code host needs of a host: a repository of its own, and a person who pushes to it.
import type { CodeHost, HostRepository } from '../../../src/hosts/port.ts';

export interface HostUnderTest {
  readonly host: CodeHost;
  /** Empty, with the default branch `main`. */
  readonly repository: HostRepository;
  /** Pushes a commit as a person would, and answers its id. */
  push(commit: {
    readonly branch: string;
    /** The parent. Absent: the tip of the branch. */
    readonly from?: string;
    readonly files: Readonly<Record<string, string>>;
  }): Promise<string>;
  /** Opens a pull request whose head is a branch of a fork. Its commit is in the repository already. */
  openOfFork(pullRequest: { readonly branch: string; readonly head: string }): Promise<number>;
  close(): Promise<void>;
}

export type MakeHost = () => Promise<HostUnderTest>;
