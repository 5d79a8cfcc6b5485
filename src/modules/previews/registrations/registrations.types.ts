import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { RegistrationEnd } from '../../../domain/previews/registration.ts';
import { connectionType } from '../../../graphql/connection.ts';
import { Node } from '../../../graphql/node.ts';
import { DateTime, GitObjectID, PullRequestNumber, SecretMap, URI } from '../../../graphql/scalars.ts';
import { RepositoryInput } from '../../repositories/repositories.types.ts';

const statuses = { ATTACHED: 'attached', BUFFERED: 'buffered' } as const;
export type RegistrationStatus = (typeof statuses)[keyof typeof statuses];
registerEnumType(statuses, {
  name: 'PreviewRegistrationStatus',
  description: 'Whether a registered preview belongs to a pull request now (interface 4.10).',
  valuesConfig: {
    ATTACHED: {
      description:
        'The registered commit is the head of an open pull request, whose verification may test the preview.',
    },
    BUFFERED: {
      description:
        'No open pull request has the registered commit as the head yet. The registration waits for such a pull request until it expires.',
    },
  },
});

const ends = {
  DEREGISTERED: 'deregistered',
  REPLACED: 'replaced',
  EXPIRED: 'expired',
} as const satisfies Record<Uppercase<RegistrationEnd>, RegistrationEnd>;
registerEnumType(ends, {
  name: 'PreviewRegistrationEnd',
  description: 'Why a registration has ended.',
  valuesConfig: {
    DEREGISTERED: { description: 'CI deregistered the preview.' },
    REPLACED: { description: 'A newer registration of the same preview and commit replaced it.' },
    EXPIRED: { description: 'The registration expired.' },
  },
});

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description:
    'An environment that CI built for a commit, and registered (interface 4.10). Its secrets are never shown.',
})
export class PreviewRegistration {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'The name of the preview in the configuration.' })
  name!: string;

  @Field(() => GitObjectID, { description: 'The commit that runs in the environment.' })
  commit!: string;

  @Field(() => URI, { description: 'The address of the environment.' })
  url!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The branch that the preview was registered for. Null: only the number of a pull request was given.',
  })
  branch!: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The number of the pull request that the preview was registered for. The branch is ignored if there is a number. Null: the preview was registered for a branch.',
  })
  prNumber!: number | null;

  @Field(() => DateTime, { description: 'When the registration expires, if it does not end before.' })
  expiresAt!: Date;

  @Field(() => String, { description: 'Email address of the user who registered the preview.' })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When the preview was registered.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the registration ended. Null: it has not ended.' })
  endedAt!: Date | null;

  @Field(() => ends, { nullable: true, description: 'Why the registration ended. Null: it has not ended.' })
  endReason!: RegistrationEnd | null;

  repositoryId!: string;
  /** The id of the open pull request whose head is the registered commit. Null: there is none. */
  pullRequestId!: string | null;
  attachedTo!: number | null;
}

export const PreviewRegistrationConnection = connectionType(PreviewRegistration, 'PreviewRegistration');

@InputType({ description: 'An environment that CI built for a commit of a pull request (interface 4.10).' })
export class RegisterPreviewInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => GitObjectID, {
    description: 'The commit that runs in the environment. Verifications of another head do not test the environment.',
  })
  commitSha!: string;

  @Field(() => URI, {
    description:
      'The address of the environment, without user name and password, at most 2,000 characters. The address is checked when a verification uses it.',
  })
  previewUrl!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The branch of the pull request. Required if there is no `prNumber`, and ignored if there is one.',
  })
  branch?: string | null;

  @Field(() => PullRequestNumber, { nullable: true, description: 'The number of the pull request.' })
  prNumber?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The preview's name in the configuration. Default: `default`. Required if the configuration has several previews.",
  })
  name?: string | null;

  @Field(() => SecretMap, {
    nullable: true,
    description:
      'Secrets for the log-in to the preview, at most 50 of at most 8,192 characters each. They are stored encrypted, are given only to the verification that tests the preview, and are deleted when the registration ends.',
  })
  secrets?: Readonly<Record<string, string>> | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it expires, at most 24 hours from now. Default: after the time of `expires_default_sec`.',
  })
  expiresAt?: Date | null;
}

@InputType({ description: 'A registered preview to deregister (interface 4.10).' })
export class DeregisterPreviewInput {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => String, {
    nullable: true,
    description: 'The branch of the pull request. Required if there is no `prNumber`, and ignored if there is one.',
  })
  branch?: string | null;

  @Field(() => PullRequestNumber, { nullable: true, description: 'The number of the pull request.' })
  prNumber?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      "The preview's name in the configuration. Default: `default`. Required if the configuration has several previews.",
  })
  name?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `registerPreview`.' })
export class RegisterPreviewPayload {
  @Field(() => PreviewRegistration, { description: 'The registration.' })
  registration!: PreviewRegistration;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `deregisterPreview`.' })
export class DeregisterPreviewPayload {
  @Field(() => Int, { description: 'How many registrations were ended, for all commits.' })
  deleted!: number;
}

export function statusOf({ attachedTo }: PreviewRegistration): RegistrationStatus {
  return attachedTo === null ? 'buffered' : 'attached';
}

export function messageOf({ attachedTo, prNumber, branch, commit }: PreviewRegistration): string {
  if (attachedTo !== null) return `Attached to pull request #${attachedTo}.`;
  const subject = prNumber === null ? `an open pull request of ${branch}` : `the open pull request #${prNumber}`;
  return `The registration waits until ${commit.slice(0, 10)} is the head of ${subject}, or until it expires.`;
}

export { statuses as registrationStatuses };
