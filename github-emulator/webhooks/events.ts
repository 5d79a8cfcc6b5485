// The events of the emulator. The parts get each event, and Apps get it as a webhook of the same name.
import type { RefChange } from '../git/store.ts';
import type {
  Account,
  BranchProtection,
  CheckRun,
  CheckSuite,
  CommitStatus,
  Installation,
  IssueComment,
  PullRequest,
  Repository,
  Review,
  ReviewThread,
  Ruleset,
  WorkflowRun,
} from '../model/types.ts';

interface RepositoryAndSender {
  readonly repository: Repository;
  readonly sender: Account;
}

export type HostEvent =
  | (RepositoryAndSender & {
      readonly name: 'push';
      readonly change: RefChange;
      readonly isForced: boolean;
    })
  | (RepositoryAndSender & {
      readonly name: 'pull_request';
      readonly action: PullRequestAction;
      readonly pull: PullRequest;
      /** Further fields of the payload, such as `before` and `after`, `label` or `changes`. */
      readonly details?: Readonly<Record<string, unknown>>;
    })
  | (RepositoryAndSender & {
      readonly name: 'pull_request_review';
      readonly action: 'submitted' | 'edited' | 'dismissed';
      readonly pull: PullRequest;
      readonly review: Review;
    })
  | (RepositoryAndSender & {
      readonly name: 'pull_request_review_thread';
      readonly action: 'resolved' | 'unresolved';
      readonly pull: PullRequest;
      readonly thread: ReviewThread;
    })
  | (RepositoryAndSender & {
      readonly name: 'issue_comment';
      readonly action: 'created' | 'edited' | 'deleted';
      readonly pull: PullRequest;
      readonly comment: IssueComment;
      readonly details?: Readonly<Record<string, unknown>>;
    })
  | (RepositoryAndSender & {
      readonly name: 'check_run';
      readonly action: 'created' | 'completed' | 'rerequested' | 'requested_action';
      readonly checkRun: CheckRun;
    })
  | (RepositoryAndSender & {
      readonly name: 'check_suite';
      readonly action: 'requested' | 'rerequested' | 'completed';
      readonly checkSuite: CheckSuite;
    })
  | (RepositoryAndSender & { readonly name: 'status'; readonly status: CommitStatus })
  | (RepositoryAndSender & {
      readonly name: 'workflow_run';
      readonly action: 'requested' | 'in_progress' | 'completed';
      readonly run: WorkflowRun;
    })
  | (RepositoryAndSender & {
      readonly name: 'repository';
      readonly action: 'created' | 'deleted' | 'archived' | 'unarchived' | 'edited' | 'renamed' | 'transferred';
      readonly changes?: Readonly<Record<string, unknown>>;
      /** Only for a transfer. */
      readonly formerOwner?: Account;
    })
  | (RepositoryAndSender & {
      readonly name: 'branch_protection_rule';
      readonly action: 'created' | 'edited' | 'deleted';
      readonly protection: BranchProtection;
    })
  | (RepositoryAndSender & {
      readonly name: 'repository_ruleset';
      readonly action: 'created' | 'edited' | 'deleted';
      readonly ruleset: Ruleset;
    })
  | {
      readonly name: 'installation';
      readonly action: 'created' | 'deleted' | 'suspend' | 'unsuspend' | 'new_permissions_accepted';
      readonly installation: Installation;
      readonly sender: Account;
    }
  | {
      readonly name: 'installation_repositories';
      readonly action: 'added' | 'removed';
      readonly installation: Installation;
      readonly changed: readonly Repository[];
      readonly sender: Account;
    };

export type PullRequestAction =
  | 'opened'
  | 'edited'
  | 'closed'
  | 'reopened'
  | 'synchronize'
  | 'labeled'
  | 'unlabeled'
  | 'converted_to_draft'
  | 'ready_for_review'
  | 'assigned'
  | 'unassigned'
  | 'review_requested'
  | 'review_request_removed';

export type EventName = HostEvent['name'];
