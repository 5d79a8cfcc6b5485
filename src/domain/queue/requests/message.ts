// Makes the messages of the commits that a landing makes. The messages are fixed when the build is made, so that the
// tested commit lands unchanged.
import type { Configuration } from '../../configuration/keys.ts';
import { replaceMatches } from '../../configuration/regex.ts';

export interface MessageSource {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** `merge_commit_message` of the request that queued it (interface 4.3). Null: none was given. */
  readonly mergeTitle: string | null;
  readonly mergeBody: string | null;
}

/** `merge_rules.merge_commit` of the configuration. */
export type MessageRules = Configuration['merge_rules']['merge_commit'];

/** Where the title appears: in the bot pull request, or in the landed commits. */
export type TitlePlace = 'draft_pr' | 'merge_commit';

/** The message of a pull request's own commit. The message of the queueing request has precedence over the rules. */
export function ownMessage(source: MessageSource, rules: MessageRules): string {
  const title =
    askedTitle(source) ??
    (rules.use_title_and_body
      ? `${rewriteTitle(source.title, 'merge_commit', rules)} (#${source.number})`
      : `Merge pull request #${source.number}`);
  return withBody(title, source.mergeBody ?? (rules.use_title_and_body ? cutBody(source.body, rules) : ''));
}

/**
 * The message of the single commit of a stack: that of the top pull request, then a line for each pull request below
 * it, the lowest first.
 */
export function stackMessage(top: MessageSource, below: readonly MessageSource[], rules: MessageRules): string {
  if (below.length === 0) return ownMessage(top, rules);
  return `${ownMessage(top, rules)}\nIncludes the pull requests below it in its stack:\n\n${linesOf(below, rules).join('\n')}\n`;
}

/** The message of a group commit: one line for `git log --first-parent`, then a line for each member in queue order. */
export function groupMessage(members: readonly MessageSource[], rules: MessageRules): string {
  return `Land ${listed(members)}\n\n${linesOf(members, rules).join('\n')}\n`;
}

/** The title of the draft bot pull request that tests these pull requests. */
export function botTitle(members: readonly MessageSource[], baseBranch: string, rules: MessageRules): string {
  const titles = members.map((member) => rewriteTitle(member.title, 'draft_pr', rules)).join(', ');
  return shorten(`Validate ${members.map(({ number }) => `#${number}`).join(', ')} for ${baseBranch}: ${titles}`, 200);
}

/** Code hosts refuse longer bodies: GitHub takes 65,536 characters. */
const longestList = 60_000;

/** The body of the draft bot pull request. `groupMessage` lists what it tests. */
export function botBody(groupMessage: string, commit: string): string {
  return `${shorten(groupMessage.trimEnd(), longestList)}\n\nInterlock opened this pull request to run CI on commit ${commit}, and closes it afterwards. Do not merge it.\n`;
}

function listed(members: readonly MessageSource[]): string {
  const numbers = members.map((member) => `#${member.number}`);
  const last = numbers.pop() ?? '';
  return numbers.length === 0 ? last : `${numbers.join(', ')} and ${last}`;
}

function linesOf(members: readonly MessageSource[], rules: MessageRules): string[] {
  return members.map(
    (member) => `* ${askedTitle(member) ?? rewriteTitle(member.title, 'merge_commit', rules)} (#${member.number})`,
  );
}

/** Null: the request has no title, or a blank one, which would make a commit without a subject. */
function askedTitle({ mergeTitle }: MessageSource): string | null {
  const title = mergeTitle?.trim() ?? '';
  return title === '' ? null : title;
}

function withBody(title: string, body: string): string {
  return body.trim() === '' ? `${title}\n` : `${title}\n\n${body.trim()}\n`;
}

/**
 * Each rule rewrites the result of the previous rule. Without this bound, rules that double the title would make the
 * title huge.
 */
const longestTitle = 1_000;

/** The title as rewritten for `place`. If the rules leave nothing, the title stays unchanged. */
export function rewriteTitle(title: string, place: TitlePlace, rules: MessageRules): string {
  const rewritten = rules.apply_title_regexes
    .filter((rule) => rule.applies_to === 'both' || rule.applies_to === place)
    .reduce(
      (text, rule) =>
        shorten(
          rule.match_type === 'regex'
            ? replaceMatches(rule.pattern, text, rule.replace)
            : text.replaceAll(rule.pattern, () => rule.replace),
          longestTitle,
        ),
      title,
    )
    .trim();
  return rewritten === '' ? title : rewritten;
}

/** At most `max` UTF-16 code units of the text, without half of an emoji. */
export function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}

/**
 * The part of a body that goes into the message. A marker is found in the first line that contains it. This line itself
 * is removed too. A missing marker removes nothing. The end marker is searched after the start marker. Comments are
 * removed last, because a marker may be a comment.
 */
export function cutBody(body: string, rules: MessageRules): string {
  let lines = body.replaceAll('\r\n', '\n').split('\n');
  const begin = rules.cut_body_before === '' ? -1 : lines.findIndex((line) => line.includes(rules.cut_body_before));
  lines = lines.slice(begin + 1);
  const end = rules.cut_body_after === '' ? -1 : lines.findIndex((line) => line.includes(rules.cut_body_after));
  const text = (end === -1 ? lines : lines.slice(0, end)).join('\n');
  // An unclosed comment extends to the end, as on code hosts.
  const shown = rules.strip_html_comments ? text.replace(/<!--[^]*?(?:-->|$)/g, '').replace(/\n{3,}/g, '\n\n') : text;
  return shown.trim();
}

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** The fields of a commit that name its authors. */
export interface AuthoredCommit {
  readonly authorName: string;
  readonly authorEmail: string;
  readonly message: string;
}

/**
 * The authors and co-authors of the commits, each once, in the order of the commits. `main` and `excludedEmails` are
 * left out.
 */
export function coauthorsOf(
  commits: readonly AuthoredCommit[],
  main: Identity,
  excludedEmails: readonly string[],
): Identity[] {
  const known = new Set([main.email, ...excludedEmails].map(byEmail));
  const found: Identity[] = [];
  for (const identity of commits.flatMap(identitiesOf)) {
    const key = byEmail(identity.email);
    if (identity.name === '' || key === '' || known.has(key)) continue;
    known.add(key);
    found.push(identity);
  }
  return found;
}

/** Adds a trailer for each co-author that the message does not name already. */
export function withCoauthors(message: string, coauthors: readonly Identity[]): string {
  const named = new Set(trailersIn(message).map(({ email }) => byEmail(email)));
  const missing = coauthors.filter(({ email }) => !named.has(byEmail(email)));
  if (missing.length === 0) return message;
  const text = message.trimEnd();
  const lastLine = text.split('\n').at(-1) ?? '';
  // Git reads trailers only from the last paragraph.
  const joint = text.includes('\n\n') && /^[A-Za-z][A-Za-z-]*-by: \S/.test(lastLine) ? '\n' : '\n\n';
  return `${text}${joint}${missing.map(({ name, email }) => `Co-authored-by: ${name} <${email}>`).join('\n')}\n`;
}

function identitiesOf(commit: AuthoredCommit): Identity[] {
  return [{ name: oneLine(commit.authorName), email: oneLine(commit.authorEmail) }, ...trailersIn(commit.message)];
}

function trailersIn(message: string): Identity[] {
  return [...message.matchAll(/^co-authored-by:[ \t]*([^<>\n]*)<([^<>\n]+)>[ \t]*$/gim)].map(([, name, email]) => ({
    name: oneLine(name ?? ''),
    email: oneLine(email ?? ''),
  }));
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}<>]+/gu, ' ').trim();
}

function byEmail(email: string): string {
  return email.trim().toLowerCase();
}
