import { Field, ObjectType } from 'type-graphql';
import { PreviewRegistration } from './registrations/registrations.types.ts';
import { Verification } from './verifications/verifications.types.ts';

@ObjectType({ simpleResolvers: true, description: 'A verification changed.' })
export class VerificationChange {
  @Field(() => String, { description: 'Resume `after` it.' })
  cursor!: string;

  @Field(() => String, { description: 'What happened, as in `Event.action`.' })
  action!: string;

  @Field(() => Verification, { description: 'The verification as it is now.' })
  verification!: Verification;
}

@ObjectType({ simpleResolvers: true, description: 'A preview was registered, came up or went.' })
export class PreviewChange {
  @Field(() => String, { description: 'Resume `after` it.' })
  cursor!: string;

  @Field(() => String, { description: 'What happened, as in `Event.action`.' })
  action!: string;

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
