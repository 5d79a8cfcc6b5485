// Whether one of the repository's workflows runs on pushes to bot branches: read only from the files, for a repository
// where nothing was validated yet.
import { parseDocument } from 'yaml';
import { type Finding, listed, missing, ok, warning } from '../../../domain/doctor/finding.ts';
import { botBranchCures } from '../../../domain/doctor/bot-checks.ts';

export interface WorkflowFile {
  readonly path: string;
  readonly text: string;
}

const probe = 'workflows';
const botBranch = 'mq-bot-1';

export function judgeWorkflowFiles(files: readonly WorkflowFile[], branch: string): Finding {
  if (files.length === 0)
    return warning(
      probe,
      `The branch ${branch} has no workflows in .github/workflows. Another CI has to validate branches that begin with mq-bot-.`,
      botBranchCures.github,
    );
  const running = files.filter(({ text }) => runsOnPushTo(botBranch, text)).map(({ path }) => path);
  if (running.length > 0) return ok(probe, `Pushes to bot branches start ${listed(running)}.`);
  return missing(
    probe,
    `No workflow of ${branch} runs on pushes to branches that begin with mq-bot-.`,
    botBranchCures.github,
  );
}

/** A file that cannot be read runs on nothing. */
export function runsOnPushTo(branch: string, text: string): boolean {
  const document = parseDocument(text, { logLevel: 'silent' });
  if (document.errors.length > 0) return false;
  const on = mappingOf(document.toJS({ maxAliasCount: 10 }))['on'];
  if (on === 'push') return true;
  if (Array.isArray(on)) return on.includes('push');
  const events = mappingOf(on);
  if (!('push' in events)) return false;
  const push = mappingOf(events['push']);
  const [branches, ignored] = [patternsOf(push['branches']), patternsOf(push['branches-ignore'])];
  if (branches !== null) return matches(branches, branch);
  if (ignored !== null) return !matches(ignored, branch);
  // If only tags are named, pushes of branches start nothing.
  return !('tags' in push) && !('tags-ignore' in push);
}

function mappingOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function patternsOf(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return null;
  return (Array.isArray(value) ? value : [value]).map(String);
}

/** The last pattern that matches decides. A pattern that begins with `!` takes a match back. */
function matches(patterns: readonly string[], branch: string): boolean {
  return patterns.reduce((isMatched, pattern) => {
    const isNegative = pattern.startsWith('!');
    return asExpression(isNegative ? pattern.slice(1) : pattern).test(branch) ? !isNegative : isMatched;
  }, false);
}

/** GitHub's patterns: `*` stays within a part of the name, `**` does not, `?` and `+` repeat the character before. */
function asExpression(pattern: string): RegExp {
  const source = pattern.replaceAll(/\*\*|[*.^$(){}|\\]/g, (found) =>
    found === '**' ? '.*' : found === '*' ? '[^/]*' : `\\${found}`,
  );
  try {
    return new RegExp(`^${source}$`);
  } catch {
    return /(?!)/;
  }
}
