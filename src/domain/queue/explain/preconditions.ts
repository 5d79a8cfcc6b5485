// Lists the preconditions of a pull request as conditions, with the sentences of admission. Each own check and each
// validation is a condition of its own.
import { matchesGlob } from '../../glob.ts';
import { preconditionKinds, type Actor, type Precondition } from '../requests/admission.ts';
import { condition, group, type CheckFact, type CheckFacts, type Condition, type ConditionFacts } from './condition.ts';
import { passingByDefault } from '../evidence/evidence.ts';

export function preconditions(facts: ConditionFacts): Condition {
  const conditions = facts.preconditions.map((precondition) => toCondition(precondition, facts));
  return group('preconditions', conditions, { holds: 'Its preconditions hold', needed: 'all hold' });
}

function toCondition(precondition: Precondition, facts: ConditionFacts): Condition {
  const { kind, observed, needed, who, obstacle } = precondition;
  return condition({
    kind,
    holds: obstacle === null,
    observed,
    needed,
    who,
    since: facts.since.preconditions[kind] ?? null,
    sentence: obstacle?.text ?? holdsText(precondition),
    conditions:
      kind === 'own_checks'
        ? checks(facts.own, 'author')
        : kind === 'validations'
          ? validations(facts, obstacle?.names ?? [])
          : [],
  });
}

function holdsText({ kind, observed, needed }: Precondition): string {
  if (kind === 'own_checks' && observed !== 'passed') return ownChecksText({ observed, needed });
  return `${preconditionKinds[kind].subject}: ${observed}.`;
}

/** Own checks may run, fail or be missing while the precondition still holds. */
function ownChecksText({ observed, needed }: Pick<Precondition, 'observed' | 'needed'>): string {
  const subject = preconditionKinds.own_checks.subject;
  return `${subject}: ${observed}. Needed before it is in line: ${needed}.`;
}

function validations(facts: ConditionFacts, failed: readonly string[]): Condition[] {
  return facts.validations.map((name) => {
    const holds = !failed.includes(name);
    return condition({
      kind: 'validation',
      name,
      holds,
      observed: holds ? 'met' : 'not met',
      needed: 'met',
      who: 'author',
      since: facts.since.preconditions.validations ?? null,
      sentence: holds ? `The validation ${name} is met.` : `The validation ${name} is not met.`,
    });
  });
}

/** One condition for each check that counts, including required checks that have not appeared. */
export function checks({ checks: seen, required, startedAt }: CheckFacts, who: Actor): Condition[] {
  const isAsked = (name: string): boolean =>
    required === null || required.some((requirement) => matchesGlob(requirement.name, name));
  const unseen = (required ?? []).filter(
    (requirement) => !seen.some((check) => matchesGlob(requirement.name, check.name)),
  );
  return [
    ...seen.filter((check) => isAsked(check.name)).map((check) => checkCondition(check, { required, startedAt, who })),
    ...unseen.map(({ name }) =>
      condition({
        kind: 'check',
        name,
        holds: false,
        observed: 'not seen',
        needed: 'success',
        who: 'ci',
        sentence: `The check ${name} has not been seen.`,
      }),
    ),
  ];
}

function checkCondition(
  { name, conclusion, endedAt, summary }: CheckFact,
  of: { readonly required: CheckFacts['required']; readonly startedAt: number | null; readonly who: Actor },
): Condition {
  const requirement = of.required?.find((candidate) => matchesGlob(candidate.name, name));
  const accepted = requirement?.acceptableStatuses ?? passingByDefault;
  const isRunning = conclusion === 'pending';
  // The check requires an action that only its summary describes.
  const toDo = conclusion === 'action_required' && summary !== null ? ` ${summary}` : '';
  return condition({
    kind: 'check',
    name,
    holds: accepted.includes(conclusion),
    observed: isRunning ? 'running' : conclusion,
    needed: accepted.join(' or '),
    who: isRunning ? 'ci' : of.who,
    since: isRunning ? of.startedAt : endedAt,
    sentence: isRunning ? `The check ${name} is running.` : `The check ${name} ended: ${conclusion}.${toDo}`,
  });
}
