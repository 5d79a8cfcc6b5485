// The context that every operation receives: the actor, the account and the ports. A composition root makes it for each
// request. Services take it as their first argument.
import type { Logger } from 'pino';
import type { AgentKind } from './domain/runbooks/runbook.ts';
import type { Database } from './platform/database.ts';
import type { Meter } from './platform/metrics/index.ts';
import type { Hosts } from './hosts/port.ts';

export const scopes = [
  'queue:read',
  'queue:write',
  'queue:pause',
  'config:read',
  'config:write',
  'analytics:read',
  'audit:read',
  'release:read',
  'release:write',
  'deploy:write',
  'runbook:write',
  'preview:register',
  'admin',
] as const;
export type Scope = (typeof scopes)[number];
export type Role = 'admin' | 'maintainer' | 'member';

/** The user who acts in a request. In activities and reconcilers it is the service itself (`system`). */
export interface Actor {
  readonly kind: 'account_token' | 'user_token' | 'person' | 'system';
  readonly userId: string | null;
  /** The token of the request, or the token with which the session began. Null: there is none. */
  readonly tokenId: string | null;
  /** The session of a browser. Null: the request has a token, or the service acts. */
  readonly sessionId: string | null;
  readonly email: string | null;
  /** The user's handle at the code host. Null: none is linked. */
  readonly handle: string | null;
  readonly role: Role;
  readonly scopes: ReadonlySet<Scope>;
  /**
   * The person at GitHub whose permissions there limit what the user may do in a repository at GitHub. Null: only the
   * role in the account decides.
   */
  readonly personAtGitHub: { readonly id: string; readonly login: string } | null;
  /** Whether the role comes from the OpenID provider, which is queried regularly. */
  readonly hasOidcRole: boolean;
}

/**
 * The rows that have a workflow: a queue, a batch, a deployment (a rollback has its own), a candidate's build,
 * a runbook, a verification.
 */
export type Woken =
  | WokenQueue
  | { readonly deploymentId: string; readonly isRollback?: boolean }
  | { readonly candidateId: string }
  | { readonly runbookId: string }
  | { readonly verificationId: string }
  | WokenBatch;

export interface WokenQueue {
  readonly queueId: string;
  /**
   * Whether the change often leaves nothing to decide, such as a label or a pull request that waits. A process that runs
   * turns of the queue then plans it before it wakes the workflow.
   */
  readonly isOftenIrrelevant?: true;
}

export interface WokenBatch {
  readonly batchId: string;
  /** The pull requests of the batch and their base branch, for Temporal's UI. */
  readonly title: string;
  /** Why the batch exists, for Temporal's UI. Markdown. */
  readonly details: string;
  /** Whether its steps usually take milliseconds, because its code host is the local one. */
  readonly isQuick: boolean;
  /** Whether its workflow is started without a signal. If it runs already, nothing happens. */
  readonly isNew: boolean;
}

/** The row whose workflow is woken. */
export type Wake = { readonly accountId: string } & Woken;

export interface Ports {
  readonly db: Database;
  readonly hosts: Hosts;
  readonly clock: () => Date;
  readonly log: Logger;
  /** The URL of this installation for users, without a trailing slash. */
  readonly publicUrl: string;
  /** The kind of agent for new runbooks. */
  readonly runbookAgent: AgentKind;
  /** Wakes a workflow. Call it after the commit. It never throws, because a lost wake only causes a delay. */
  readonly wake: (whose: Wake) => Promise<void>;
  /**
   * Returns the email address of a person who may write to a repository at GitHub. If the person is no user of the
   * account yet, the user is created. Null: an admin removed the person, or GitHub did not answer. Left out: this
   * installation is not connected to GitHub.
   */
  readonly admitPerson?: (
    accountId: string,
    person: { readonly repositoryId: string; readonly id: string; readonly login: string },
  ) => Promise<string | null>;
  /** Notifies the sequencer that events were committed. A lost notification delays the events by a second. */
  readonly eventsWritten: () => void;
  /** Records measurements of this process. */
  readonly meter: Meter;
}

export interface Context extends Ports {
  readonly accountId: string;
  readonly actor: Actor;
  readonly requestId: string;
}

/**
 * A context that does not wake the workflow of this row. It is for the code that this workflow itself runs, which
 * continues without a wake. Other workflows are woken.
 */
export function contextWithoutWake(ctx: Context, driven: Woken): Context {
  const own = Object.entries(driven);
  return {
    ...ctx,
    wake: async (whose) => {
      const ids = new Map(Object.entries(whose));
      if (!own.every(([key, id]) => ids.get(key) === id)) await ctx.wake(whose);
    },
  };
}

/** The context in which the service itself acts for an account: in activities, reconcilers and host events. */
export function systemContext(ports: Ports, accountId: string): Context {
  return {
    ...ports,
    accountId,
    requestId: 'system',
    actor: {
      kind: 'system',
      userId: null,
      tokenId: null,
      sessionId: null,
      email: null,
      handle: null,
      role: 'admin',
      scopes: new Set(scopes),
      personAtGitHub: null,
      hasOidcRole: false,
    },
  };
}
