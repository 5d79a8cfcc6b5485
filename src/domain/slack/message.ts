// The text of a message in Slack, in Slack's own markup and within Slack's limits.

export interface SlackMessage {
  /** The text for notifications, and for clients that show no blocks. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

type SlackText = { readonly type: 'mrkdwn'; readonly text: string };

export type SlackBlock =
  | { readonly type: 'section'; readonly text: SlackText }
  | { readonly type: 'context'; readonly elements: readonly SlackText[] };

export interface PullRequestNews {
  readonly kind: 'pull_request';
  /** `owner/name`. */
  readonly repository: string;
  readonly number: number;
  readonly title: string;
  readonly author: string;
  readonly url: string;
  readonly status: 'open' | 'pending' | 'queued' | 'tagged' | 'blocked' | 'merged' | 'closed';
  /** The sentence of `explain`. */
  readonly sentence: string;
  /** The landed commit. Null until the pull request has landed. */
  readonly commit: string | null;
}

export interface DeploymentNews {
  readonly kind: 'deployment';
  readonly project: string;
  readonly environment: string;
  readonly version: string;
  readonly isRollback: boolean;
  readonly status: string;
  readonly problem: string | null;
  readonly actor: string;
}

export interface FreezeNews {
  readonly kind: 'freeze';
  /** The name of the environment or of the base branch. */
  readonly frozen: string;
  /** The project of the environment, or `owner/name` of the repository. */
  readonly of: string;
  readonly reason: string | null;
  readonly hasEnded: boolean;
}

export type SlackNews = PullRequestNews | DeploymentNews | FreezeNews;

/** Null: there is nothing to say. `isKnown`: whether a message about the subject was already posted. */
export function decideSlackMessage(news: SlackNews, isKnown: boolean): SlackMessage | null {
  switch (news.kind) {
    case 'pull_request':
      return notifyPullRequest(news, isKnown);
    case 'deployment':
      return notifyDeployment(news);
    case 'freeze':
      return notifyFreeze(news);
    default:
      return news satisfies never;
  }
}

const pullRequestTexts = {
  open: [':white_circle:', 'Not in line'],
  pending: [':hourglass_flowing_sand:', 'Waiting'],
  queued: [':large_blue_circle:', 'Queued'],
  tagged: [':large_blue_circle:', 'In a build'],
  blocked: [':red_circle:', 'Blocked'],
  merged: [':white_check_mark:', 'Landed'],
  closed: [':white_circle:', 'Closed'],
} as const satisfies Record<PullRequestNews['status'], readonly [string, string]>;

function notifyPullRequest(news: PullRequestNews, isKnown: boolean): SlackMessage | null {
  const { status, repository, number, commit } = news;
  // Nobody has asked to merge the pull request, so there is no message about it.
  if (!isKnown && (status === 'open' || status === 'closed')) return null;
  const [sign, text] = pullRequestTexts[status];
  const name = `${repository}#${number}`;
  const landed = commit === null ? '' : ` as \`${commit.slice(0, 12)}\``;
  const title = escaped(news.title, longestTitle);
  return {
    text: limited(`${text}: ${name} ${title}`),
    blocks: [
      section(`${sign} *${text}*${landed}: <${news.url}|${escaped(name, longestTitle)}> ${title}`),
      ...(status === 'merged' || news.sentence === '' ? [] : [section(escaped(news.sentence, longestSentence))]),
      context(`by ${escaped(news.author, longestTitle)}`),
    ],
  };
}

const deploymentTexts: Readonly<Record<string, readonly [string, string]>> = {
  pending: [':hourglass_flowing_sand:', 'waits to be deployed'],
  in_progress: [':rocket:', 'is being deployed'],
  success: [':white_check_mark:', 'is deployed'],
  failure: [':red_circle:', 'failed to deploy'],
  error: [':red_circle:', 'failed to deploy'],
  canceling: [':hourglass_flowing_sand:', 'is being canceled'],
  canceled: [':white_circle:', 'was canceled'],
};

function notifyDeployment(news: DeploymentNews): SlackMessage {
  const { project, version, environment, isRollback, status, problem, actor } = news;
  const [sign, text] = deploymentTexts[status] ?? [':grey_question:', 'has an unknown outcome'];
  const line = escaped(
    `${project} ${version}${isRollback ? ' (rollback)' : ''} ${text} in ${environment}`,
    longestTitle,
  );
  return {
    text: limited(line),
    blocks: [
      section(`${sign} ${line}`),
      ...(problem === null || problem === '' ? [] : [section(escaped(problem, longestSentence))]),
      context(`by ${escaped(actor, longestTitle)}`),
    ],
  };
}

function notifyFreeze({ frozen, of, reason, hasEnded }: FreezeNews): SlackMessage {
  const where = `${frozen} of ${of}`;
  const line = escaped(hasEnded ? `${where} is open again` : `${where} is frozen`, longestTitle);
  const why = reason === null || reason === '' ? [] : [section(escaped(reason, longestSentence))];
  return {
    text: limited(line),
    blocks: [section(`${hasEnded ? ':white_check_mark:' : ':snowflake:'} ${line}`), ...why],
  };
}

/** Slack accepts at most 3,000 characters in a section. */
const longestSection = 3_000;
const longestTitle = 250;
const longestSentence = 1_500;

function section(text: string): SlackBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: limited(text) } };
}

function context(text: string): SlackBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', text: limited(text) }] };
}

function limited(text: string): string {
  return text.length <= longestSection ? text : `${text.slice(0, longestSection - 1)}…`;
}

/** Returns the text in one line, with `&`, `<` and `>` escaped. So the text can neither mention people nor have links. */
function escaped(text: string, max: number): string {
  const plain = Array.from(text.replaceAll(/\s+/g, ' ').trim());
  const cut = plain.length <= max ? plain : [...plain.slice(0, max - 1), '…'];
  return cut.join('').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
