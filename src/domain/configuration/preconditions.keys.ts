import { z } from 'zod';
import { unknownServiceCheck } from '../queue/evidence/service-checks.ts';
import { bool, group, integer, key, listOf, oneOf, optionalKey, regex, someText } from './key.ts';

const conclusions = oneOf(
  'success',
  'pending',
  'failure',
  'cancelled',
  'timed_out',
  'skipped',
  'neutral',
  'action_required',
  'stale',
  'unknown',
  'error',
  'blocked',
  'missing',
);

const checkName = () =>
  someText(255).superRefine((name, context) => {
    const message = unknownServiceCheck(name);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

/** A list of checks. Each one is a name or a glob of names, alone or with the conclusions that count as passing. */
export const requiredChecks = () =>
  listOf(
    z.union(
      [
        checkName(),
        group({
          name: checkName(),
          acceptable_statuses: z
            .array(conclusions, { error: 'must be a list' })
            .min(1, { error: 'must name at least one status' })
            .max(13, { error: 'must not name a status twice' })
            .optional(),
        }),
      ],
      { error: "must be a check's name, or {name, acceptable_statuses}" },
    ),
    { name: 'list: name, or {name, acceptable_statuses}' },
  );

export const preconditions = group({
  number_of_approvals: optionalKey(integer(0), {
    default: 'as many as the rules of the code host demand; none on the local host',
    description: 'How many approving reviews a pull request needs before it is queued.',
    effectOnBuilds: 'gate',
  }),
  required_checks: key(requiredChecks(), {
    default: [],
    description:
      'The checks that the head of a pull request must pass, by name or glob. If use_github_mergeability is true, the list of the host replaces this list, except interlock/verify, which always counts. No other name may begin with interlock/.',
    effectOnBuilds: 'gate',
  }),
  use_github_mergeability: key(bool(), {
    default: true,
    description: 'The branch protection of the code host decides which checks are required.',
    effectOnBuilds: 'gate',
  }),
  conversation_resolution_required: key(bool(), {
    default: false,
    description: 'Every review conversation must be resolved (otherwise 113).',
    effectOnBuilds: 'gate',
  }),
  require_verified_commits: key(bool(), {
    default: false,
    description: 'Every commit must have a signature that the host verified (otherwise 115).',
    effectOnBuilds: 'gate',
  }),
  validations: key(
    listOf(
      group({
        name: someText(200),
        match: group({
          type: oneOf('title', 'body'),
          regex: z.union([regex(), listOf(regex(), { max: 20 }).min(1)], {
            error: 'must be a regular expression or a list of them',
          }),
        }),
      }),
      { name: 'list: {name, match: {type: title or body, regex: one or a list}}', max: 50 },
    ),
    {
      default: [],
      description:
        'Every expression must match the title or body (otherwise 108). The message to the author names the validation.',
      effectOnBuilds: 'gate',
    },
  ),
});
