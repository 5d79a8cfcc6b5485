import { Field, ObjectType, registerEnumType } from 'type-graphql';
import type { Action } from './authorisation.ts';

const actions = {
  QUEUE: 'queue',
  DEQUEUE: 'dequeue',
  SKIP_LINE: 'skip_line',
  SKIP_VALIDATION: 'skip_validation',
  SYNC: 'sync',
  REFRESH: 'refresh',
  BACKPORT: 'backport',
  VERIFY: 'verify',
  PAUSE: 'pause',
  FREEZE: 'freeze',
  RESET_QUEUE: 'reset_queue',
  RETRY_BUILD: 'retry_build',
  HALT: 'halt',
  CONFIGURE: 'configure',
  START_RUNBOOK: 'start_runbook',
  DEPLOY: 'deploy',
  ROLL_BACK: 'roll_back',
  UPDATE_ENVIRONMENT: 'update_environment',
  ADMINISTER: 'administer',
} as const satisfies Record<Uppercase<Action>, Action>;
registerEnumType(actions, {
  name: 'Action',
  description: 'An action that needs a permission.',
  valuesConfig: {
    QUEUE: { description: 'Queue a pull request.' },
    DEQUEUE: { description: 'Take a pull request out of the queue.' },
    SKIP_LINE: { description: 'Queue a pull request at the front of the line.' },
    SKIP_VALIDATION: { description: 'Merge a pull request without validation.' },
    SYNC: { description: 'Merge the base branch into a pull request.' },
    REFRESH: { description: 'Read a pull request from the code host.' },
    BACKPORT: { description: 'Backport a pull request to another branch.' },
    VERIFY: { description: 'Verify the head of a pull request.' },
    PAUSE: { description: 'Pause a repository or its base branches, or end the pause.' },
    FREEZE: { description: 'Freeze base branches or an environment, now or by a schedule, or end a freeze.' },
    RESET_QUEUE: { description: 'Reset every build of a queue.' },
    RETRY_BUILD: { description: 'Build a pull request again.' },
    HALT: { description: 'Halt a queue, or resume it.' },
    CONFIGURE: { description: 'Replace the configuration.' },
    START_RUNBOOK: { description: 'Create a runbook.' },
    DEPLOY: { description: 'Deploy to an environment, cancel a deployment, or report one.' },
    ROLL_BACK: { description: 'Roll an environment back.' },
    UPDATE_ENVIRONMENT: { description: 'Change the settings of an environment.' },
    ADMINISTER: {
      description: 'Change the people and webhooks of an account, and the links for screens of a repository.',
    },
  },
});

@ObjectType({
  simpleResolvers: true,
  description:
    'Whether the caller is permitted to do an action. A permitted action can still be refused because of the state of its object.',
})
export class ViewerAction {
  @Field(() => actions, { description: 'The action.' })
  action!: Action;

  @Field(() => Boolean, { description: 'Whether the caller is permitted to do the action.' })
  allowed!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Why the caller is not permitted, with the text of the refusal. Null: the action is allowed.',
  })
  sentence!: string | null;
}
