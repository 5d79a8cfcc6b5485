// The limits of a request for a runbook (interface 4.9): each field, and the combination of labels.
import { DomainError } from '../errors.ts';
import type { AgentKind } from './runbook.ts';

export const longestPrompt = 200_000;
export const maxPrompts = 100;
const longestTitle = 200;
const longestDescription = 20_000;
const longestLabel = 50;
const maxLabels = 50;
/** Millionths of a US dollar: a thousand dollars. */
const greatestBudget = 1_000_000_000;

export function requirePrompt(prompt: string): string {
  if (prompt.trim() === '') throw bad('prompt', 'must not be blank: say what is to be done');
  return checkedLength(prompt, 'prompt', longestPrompt);
}

/** The title of the request. Null: the agent writes the title. */
export function requireTitle(title: string | null | undefined): string | null {
  if (title === null || title === undefined) return null;
  const line = title.trim();
  if (line === '') throw bad('title', 'must not be blank: leave it out, and the agent writes a title');
  if (/[\r\n]/.test(line)) throw bad('title', 'must be one line');
  return checkedLength(line, 'title', longestTitle);
}

/** The title until the agent has written one: the first line of the prompt that has letters. */
export function provisionalTitle(prompt: string): string {
  const lines = prompt.split(/\r?\n/).map((line) => line.replace(/^[\s#>*-]+|^\s*\d+[.)]\s+/g, '').trim());
  const line = lines.find((each) => /[\p{L}\p{N}]/u.test(each)) ?? 'Runbook';
  return line.length <= 72 ? line : `${line.slice(0, 71).toWellFormed().trimEnd()}…`;
}

/** Returns null for a missing or blank description. */
export function requireDescription(description: string | null | undefined): string | null {
  if (description === null || description === undefined || description.trim() === '') return null;
  return checkedLength(description, 'description', longestDescription);
}

/** Known labels first, each label once, in the order of the requests. */
export function mergeLabels(known: readonly string[], asked: readonly string[] | null | undefined): string[] {
  const labels = new Set(known);
  for (const [at, each] of (asked ?? []).entries()) {
    const label = each.trim();
    if (label === '') throw bad(`labels.${at}`, 'must not be blank');
    if (/\p{Cc}/u.test(label)) throw bad(`labels.${at}`, 'must be one line');
    checkedLength(label, `labels.${at}`, longestLabel);
    labels.add(label);
  }
  if (labels.size > maxLabels)
    throw bad('labels', `must be at most ${maxLabels}, together with the labels that the runbook already has`);
  return [...labels];
}

export function requireBudget(micros: number, max = greatestBudget): number {
  if (!Number.isInteger(micros) || micros < 0 || micros > max)
    throw bad('budgetMicros', `must be a whole number from 0 to ${max}, in millionths of a US dollar`);
  return micros;
}

/** The budget of a runbook may be raised up to the present limit of its repository. */
export function requireGreaterBudget(
  micros: number,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  if (min >= max)
    throw bad(
      'budgetMicros',
      `cannot be raised beyond ${max}: raise what the repository allows with updateRunbookDefaults`,
    );
  if (!Number.isInteger(micros) || micros <= min || micros > max)
    throw bad(
      'budgetMicros',
      `must be more than ${min}, the present budget, and at most ${max}, the limit of the repository`,
    );
  return micros;
}

/** The budget of an agent without costs is never spent. */
export function isBudgetSpent(runbook: {
  readonly agent: AgentKind;
  readonly budgetMicros: number;
  readonly spentMicros: number;
}): boolean {
  return runbook.agent === 'model' && runbook.spentMicros >= runbook.budgetMicros;
}

function checkedLength(text: string, field: string, max: number): string {
  if (text.length > max) throw bad(field, `must be at most ${max} characters long; shorten it`);
  return text;
}

function bad(field: string, must: string): DomainError {
  return new DomainError('BAD_INPUT', `${field} ${must}`, `input.${field}`);
}
