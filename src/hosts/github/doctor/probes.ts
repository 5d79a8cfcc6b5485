// Judges GitHub's answers, with one function for each probe of `npm run doctor`. Pure.
import { type Finding, joinNames, missing, ok, warning } from '../../../domain/doctor/finding.ts';
import { appEvents, appPermissions } from '../app.ts';
import type { RefusingRule } from '../base-rules.ts';

/** A clock that is wrong by this much is an error: Octokit corrects only the instants in an App's tokens. */
const wrongSec = 30;
const doubtfulSec = 10;

/** `here` and `there` are instants in milliseconds since the epoch. `there` is null if GitHub did not say the time. */
export function judgeClock(here: number, there: number | null): Finding {
  if (there === null)
    return warning(
      'clock',
      'GitHub did not say what time it is.',
      'Run the doctor again. A proxy may have removed the header Date.',
    );
  const offSec = Math.round((here - there) / 1000);
  const size = Math.abs(offSec);
  if (size < doubtfulSec) return ok('clock', 'The clock agrees with GitHub.');
  const message = `The clock is ${size} s ${offSec > 0 ? 'ahead of' : 'behind'} GitHub.`;
  const cure = 'Interlock goes by the clock of PostgreSQL: set the clock of its machine by NTP.';
  return size < wrongSec ? warning('clock', message, cure) : missing('clock', message, cure);
}

const oldestServer = [3, 18] as const;

/** `version` is the version of an Enterprise Server. Null: the server is GitHub.com. */
export function judgeServer(webUrl: string, version: string | null): Finding {
  if (version === null) return ok('server', `${webUrl} answers.`);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < oldestServer[0] || (major === oldestServer[0] && minor < oldestServer[1]);
  const message = `${webUrl} is an Enterprise Server ${version}.`;
  return isOld
    ? missing('server', message, `Interlock needs ${oldestServer.join('.')} or newer. Upgrade the server.`)
    : ok('server', message);
}

type Permissions = Readonly<Record<string, string | undefined>>;

export interface AppGrants {
  /** The permissions that the App requests, and the permissions that the owner of the installation has accepted. */
  readonly ofApp: Permissions;
  readonly ofInstallation: Permissions;
  readonly events: readonly string[];
  readonly isSuspended: boolean;
  /** The page where an owner accepts permissions and lifts a suspension. */
  readonly installationUrl: string;
  /** The page with the settings of the App. */
  readonly appUrl: string;
}

const levels = ['read', 'write', 'admin'];

function isGranted(permissions: Permissions, name: string, level: string): boolean {
  return levels.indexOf(permissions[name] ?? '') >= levels.indexOf(level);
}

/**
 * Permissions whose lack is only a warning. An installation on a person's account has no members, and Interlock does
 * not use this permission yet.
 */
const dispensable = new Set(['members']);

export function judgePermissions({ ofApp, ofInstallation, isSuspended, installationUrl, appUrl }: AppGrants): Finding {
  const probe = 'permissions';
  if (isSuspended)
    return missing(probe, 'The installation of the App is suspended.', `Lift the suspension: ${installationUrl}`);
  const lacking = Object.entries(appPermissions).filter(([name, level]) => !isGranted(ofInstallation, name, level));
  if (lacking.length === 0) return ok(probe, 'The App has all the permissions that it needs.');
  const names = joinNames(lacking.map(([name, level]) => `${name}: ${level}`));
  const message = `The App lacks ${names}.`;
  const isAsked = lacking.every(([name, level]) => isGranted(ofApp, name, level));
  const cure = isAsked
    ? `Accept these permissions: ${installationUrl}`
    : `Add these permissions to the App: ${appUrl}/permissions. Then accept them: ${installationUrl}`;
  return lacking.every(([name]) => dispensable.has(name))
    ? warning(probe, message, cure)
    : missing(probe, message, cure);
}

export function judgeEvents({ events, appUrl }: Pick<AppGrants, 'events' | 'appUrl'>): Finding {
  const lacking = appEvents.filter((name) => !events.includes(name));
  if (lacking.length === 0) return ok('events', 'GitHub sends the App every event that it needs.');
  return warning(
    'events',
    `GitHub does not send the App ${joinNames(lacking)}. Interlock learns of these events a minute late.`,
    `Subscribe the App to these events: ${appUrl}/permissions`,
  );
}

export interface RepositoryAnswer {
  /** The owner and name that the repository has at GitHub now. */
  readonly fullName: string;
  readonly isArchived: boolean;
  /** Its page at GitHub. */
  readonly url: string;
}

export function judgeRepository(named: string, { fullName, isArchived, url }: RepositoryAnswer): Finding {
  if (isArchived)
    return missing('repository', `${fullName} is archived at GitHub.`, `Unarchive the repository: ${url}/settings`);
  if (fullName.toLowerCase() === named.toLowerCase()) return ok('repository', `The App sees ${fullName}.`);
  return warning('repository', `${named} is named ${fullName} at GitHub.`, 'Interlock changes the name by itself.');
}

export interface Delivery {
  readonly deliveredAt: string;
  readonly statusCode: number;
  /** GitHub's message. */
  readonly status: string;
}

/**
 * `deliveries` are the newest webhook deliveries of the App. `url` is the address that GitHub sends webhooks to. Null:
 * it is not set.
 */
export function judgeDeliveries(
  url: string | null,
  deliveries: readonly Delivery[],
  { appUrl, isSecure }: { readonly appUrl: string; readonly isSecure: boolean },
): Finding {
  const probe = 'webhooks';
  if (url === null) return missing(probe, 'The App has no address for webhooks.', `Set the address: ${appUrl}`);
  const newest = deliveries.toSorted((one, other) => (one.deliveredAt < other.deliveredAt ? 1 : -1));
  const failed = newest.filter(({ statusCode }) => statusCode < 200 || statusCode >= 400);
  const [last] = newest;
  if (last === undefined)
    return warning(probe, `GitHub has sent no webhook to ${url} for days.`, 'Push a commit, and run the doctor again.');
  const [lastFailed] = failed;
  if (lastFailed === last)
    return missing(probe, `GitHub got ${last.statusCode} (${last.status}) from ${url}.`, cureOf(last, appUrl));
  if (lastFailed !== undefined)
    return warning(
      probe,
      `The newest webhook arrived. ${failed.length} of the newest ${newest.length} failed, the last with ${lastFailed.statusCode} (${lastFailed.status}) from ${url}.`,
      null,
    );
  if (!isSecure && url.startsWith('https:'))
    return warning(probe, `GitHub does not check the certificate of ${url}.`, `Enable SSL verification: ${appUrl}`);
  return ok(probe, `The newest ${newest.length === 1 ? 'webhook' : `${newest.length} webhooks`} arrived at ${url}.`);
}

function cureOf({ statusCode }: Delivery, appUrl: string): string {
  if (statusCode === 401)
    return `The webhook secret at GitHub differs from the secret that Interlock has. Set a new secret, ${appUrl}, and give it to Interlock by addGitHubApp.`;
  if (statusCode === 404)
    return `No App of Interlock has this address. Correct the address: ${appUrl}. createGitHubApp and addGitHubApp return the right address.`;
  return 'Start Interlock, and let GitHub reach this address. The address must begin with INTERLOCK_PUBLIC_URL.';
}

export interface Points {
  readonly limit: number;
  readonly left: number;
}

const fewShare = 0.2;

/** `pausedUntil`: milliseconds since the epoch. Null: GitHub has asked for no pause. */
export function judgeBudget(
  points: { readonly rest: Points; readonly graphql: Points },
  pausedUntil: number | null,
): Finding {
  const budgets = (['rest', 'graphql'] as const).map((name) => {
    const { limit, left } = points[name];
    return `${left} of ${limit} points of ${name === 'rest' ? 'REST' : 'GraphQL'}`;
  });
  const message = `${joinNames(budgets)} are left this hour.`;
  if (pausedUntil !== null)
    return warning(
      'budget',
      `GitHub has asked for a pause until ${new Date(pausedUntil).toISOString()}. ${message}`,
      null,
    );
  const isFew = [points.rest, points.graphql].some(({ limit, left }) => left <= limit * fewShare);
  return isFew
    ? warning('budget', message, 'Interlock writes no comments below 20 %. If this happens often, batch pull requests.')
    : ok('budget', message);
}

/** Makes the findings of the probe `rules of <branch>`: one for each rule that refuses landings. */
export function judgeRefusingRules(
  branch: string,
  refusingRules: readonly RefusingRule[],
  { requiresChecks }: { readonly requiresChecks: boolean },
): Finding[] {
  const probe = `rules of ${branch}`;
  if (refusingRules.length > 0)
    return refusingRules.map(({ isCertain, message, cure }) => (isCertain ? missing : warning)(probe, message, cure));
  return [
    ok(
      probe,
      requiresChecks
        ? `${branch} accepts only commits whose checks have passed, so Interlock builds each commit that lands.`
        : `No rule of ${branch} refuses landings.`,
    ),
  ];
}

/** The results of the doctor's pushes. A refusal has GitHub's message. */
export interface PushProbe {
  readonly both: 'moved' | { readonly refusal: string };
  /**
   * Pushes of the branch alone and of the ref alone, after a push of both was refused. Null: the push was not tried.
   */
  readonly branchAlone: 'moved' | { readonly refusal: string } | null;
  readonly refAlone: 'moved' | { readonly refusal: string } | null;
  /** Whether GitHub refused a whole push with a wrong expected value. Null: the push was not tried. */
  readonly holdsLeases: boolean | null;
  /** Refs of the probe that could not be deleted. */
  readonly left: readonly string[];
}

export function judgePushes(pushed: PushProbe, { rulesUrl, app }: { rulesUrl: string; app: string }): Finding {
  const { both, branchAlone, refAlone, holdsLeases, left } = pushed;
  const probe = 'pushes';
  const exempt = `Add ${app} to the bypass list of the rulesets that apply to mq-* branches: ${rulesUrl}`;
  if (branchAlone !== null && branchAlone !== 'moved')
    return missing(probe, `GitHub refuses branches of Interlock: ${branchAlone.refusal}`, exempt);
  if (refAlone !== null && refAlone !== 'moved')
    return missing(
      probe,
      `GitHub refuses refs below refs/interlock: ${refAlone.refusal}`,
      'Landings need these refs. Ask the owner of the server which rule refuses them.',
    );
  if (both !== 'moved')
    return missing(probe, `GitHub refuses an atomic push of a branch and a ref: ${both.refusal}`, exempt);
  if (holdsLeases === false)
    return missing(
      probe,
      'GitHub has moved a ref although its expected value was wrong.',
      'Do not land in this repository, and report this to the maintainers of Interlock.',
    );
  if (left.length > 0) return missing(probe, `GitHub does not let the App delete ${joinNames(left)}.`, exempt);
  return ok(probe, 'A branch and a ref were pushed together, guarded by their expected values, and deleted.');
}
