import { ArgsType, Field, ObjectType } from 'type-graphql';
import { PullRequestNumber } from '../../graphql/scalars.ts';
import { ChangeByEvent, FollowArgs } from '../../graphql/subscriptions.ts';
import { RepositoryInput } from '../repositories/repositories.types.ts';
import { PreviewRegistration } from './registrations/registrations.types.ts';
import { Verification } from './verifications/verifications.types.ts';

@ArgsType()
export class FollowPreviewsArgs extends FollowArgs {
  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;

  @Field(() => PullRequestNumber, {
    nullable: true,
    description: 'One of its pull requests. Left out: all of them, later ones too.',
  })
  number?: number | null;
}

@ObjectType({ simpleResolvers: true, description: 'A verification changed.' })
export class VerificationChange extends ChangeByEvent {
  @Field(() => Verification, { description: 'The verification as it is now.' })
  verification!: Verification;
}

@ObjectType({ simpleResolvers: true, description: 'A preview was registered, came up or went.' })
export class PreviewChange extends ChangeByEvent {
  @Field(() => PreviewRegistration, {
    nullable: true,
    description: 'What CI registered or took back, as it is now. Null: it is about a verification.',
  })
  registration!: PreviewRegistration | null;

  @Field(() => Verification, {
    nullable: true,
    description: 'The verification whose preview it is, as it is now. Null: it is about a registration.',
  })
  verification!: Verification | null;
}
