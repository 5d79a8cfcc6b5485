// Decides from the workflow files whether a push to a bot branch starts a workflow. Used for a repository in which no
// bot branch was validated yet.
import { parseDocument } from 'yaml';
import { duplicateKeys } from '../../../domain/configuration/index.ts';
import { type Finding, joinNames, missing, ok, warning } from '../../../domain/doctor/finding.ts';
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
  if (running.length > 0) return ok(probe, `Pushes to bot branches start ${joinNames(running)}.`);
  return missing(
    probe,
    `No workflow of ${branch} runs on pushes to branches that begin with mq-bot-.`,
    botBranchCures.github,
  );
}

/** Whether a push to the branch starts the workflow. False for a file that cannot be parsed. */
export function runsOnPushTo(branch: string, text: string): boolean {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'silent' });
  if (document.errors.length > 0 || duplicateKeys(document).length > 0) return false;
  const on = mappingOf(document.toJS({ maxAliasCount: 10 }))['on'];
  if (on === 'push') return true;
  if (Array.isArray(on)) return on.includes('push');
  const events = mappingOf(on);
  if (!('push' in events)) return false;
  const push = mappingOf(events['push']);
  const [branches, ignored] = [patternsOf(push['branches']), patternsOf(push['branches-ignore'])];
  if (branches !== null) return matches(branches, branch);
  if (ignored !== null) return !matches(ignored, branch);
  // If the file has only patterns for tags, pushes of branches do not start the workflow.
  return !('tags' in push) && !('tags-ignore' in push);
}

function mappingOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function patternsOf(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return null;
  return (Array.isArray(value) ? value : [value]).map(String);
}

/** The last matching pattern decides. A pattern that begins with `!` excludes. */
function matches(patterns: readonly string[], branch: string): boolean {
  return patterns.reduce((isMatched, pattern) => {
    const isNegative = pattern.startsWith('!');
    return asExpression(isNegative ? pattern.slice(1) : pattern).test(branch) ? !isNegative : isMatched;
  }, false);
}

/**
 * Translates a pattern of GitHub: `*` matches no slash, `**` matches slashes too, and `?` and `+` apply to the
 * character before them.
 */
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
