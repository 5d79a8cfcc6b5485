// What every operation receives: the actor, the account, and the ports. Made once per request by a
// composition root; services take it as their first argument.
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

/** The acting user of a request, or the service itself (`system`) inside activities and reconcilers. */
export interface Actor {
  readonly kind: 'account_token' | 'user_token' | 'person' | 'system';
  readonly userId: string | null;
  /** Also the token that the session began with. */
  readonly tokenId: string | null;
  /** The session of a browser. Null: the request came with a token, or from the service. */
  readonly sessionId: string | null;
  readonly email: string | null;
  /** Handle on the code host; null when none is linked. */
  readonly handle: string | null;
  readonly role: Role;
  readonly scopes: ReadonlySet<Scope>;
  /**
   * The person of GitHub whose permissions there bound what the user may do in a repository at GitHub. Null: the roles
   * of the account decide.
   */
  readonly atGitHub: { readonly id: string; readonly login: string } | null;
  /** Whether the role is what the OpenID provider says, which is asked again and again. */
  readonly isAtOidc: boolean;
}

/**
 * The rows that have a workflow: a queue, a deployment (a rollback has its own), a candidate's build, a runbook,
 * a verification.
 */
export type Woken =
  | { readonly queueId: string }
  | { readonly deploymentId: string; readonly isRollback?: boolean }
  | { readonly candidateId: string }
  | { readonly runbookId: string }
  | { readonly verificationId: string };

/** The row whose workflow is woken. */
export type Wake = { readonly accountId: string } & Woken;

export interface Ports {
  readonly db: Database;
  readonly hosts: Hosts;
  readonly clock: () => Date;
  readonly log: Logger;
  /** Where users reach this installation, without a trailing slash. */
  readonly publicUrl: string;
  /** Who executes runbooks that are created from now on. */
  readonly runbookAgent: AgentKind;
  /** Wakes a workflow, after the commit. Never throws: a lost wake costs only a delay. */
  readonly wake: (whose: Wake) => Promise<void>;
  /**
   * The email address of a person of GitHub who may write to a repository there. The person becomes a user of the
   * account if there is no such user yet. Null: an admin removed the person, or GitHub did not answer. Left out: there
   * is no GitHub.
   */
  readonly admitPerson?: (
    accountId: string,
    person: { readonly repositoryId: string; readonly id: string; readonly login: string },
  ) => Promise<string | null>;
  /** Notifies the sequencer that events were committed. A lost notification costs a second. */
  readonly eventsWritten: () => void;
  /** What this process counts and times. */
  readonly meter: Meter;
}

export interface Context extends Ports {
  readonly accountId: string;
  readonly actor: Actor;
  readonly requestId: string;
}

/** For a caller that drives these rows and goes on anyway: its own writes wake only the other workflows. */
export function quietFor(ctx: Context, driven: Woken): Context {
  const own = Object.entries(driven);
  return {
    ...ctx,
    wake: async (whose) => {
      const ids = new Map(Object.entries(whose));
      if (!own.every(([key, id]) => ids.get(key) === id)) await ctx.wake(whose);
    },
  };
}

/** The service acting for one account: activities, reconcilers, host events. */
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
      atGitHub: null,
      isAtOidc: false,
    },
  };
}
