import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { connectionType } from '../../../graphql/connection.ts';
import { Node } from '../../../graphql/node.ts';
import { DateTime } from '../../../graphql/scalars.ts';
import { RepositoryInput } from '../../repositories/repositories.types.ts';

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'A secret that sandboxes receive as an environment variable (interface 2.13). Its value is never shown.',
})
export class PreviewSecret {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'The name of the environment variable, unique in the account.' })
  key!: string;

  @Field(() => [String], {
    description:
      'The repositories that the secret was granted to, as `owner/name`. Sandboxes of other repositories do not receive the secret.',
  })
  grantedTo!: readonly string[];

  @Field(() => String, { description: 'Email address of the user who first set the secret.' })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When the secret was first set.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the secret was last set.' })
  updatedAt!: Date;
}

export const PreviewSecretConnection = connectionType(PreviewSecret, 'PreviewSecret');

@InputType({ description: 'A secret and its value.' })
export class SetPreviewSecretInput {
  @Field(() => String, {
    description:
      'The name of the environment variable: letters, digits and `_`. Not PORT, PREVIEW_URL or HEAD_SHA, which Interlock sets.',
  })
  key!: string;

  @Field(() => String, { description: 'The value, at most 8,192 characters. It is never shown again.' })
  value!: string;
}

@InputType({ description: 'A secret to remove.' })
export class RemovePreviewSecretInput {
  @Field(() => String, { description: 'The key of the secret.' })
  key!: string;
}

@InputType({ description: 'A secret, and a repository whose sandboxes may have it.' })
export class PreviewSecretGrantInput {
  @Field(() => String, { description: 'Key of the secret.' })
  key!: string;

  @Field(() => RepositoryInput, { description: 'The repository.' })
  repository!: RepositoryInput;
}

@ObjectType({ simpleResolvers: true, description: 'The result of mutations of preview secrets.' })
export class PreviewSecretPayload {
  @Field(() => PreviewSecret, { description: 'The secret, without its value.' })
  previewSecret!: PreviewSecret | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `removePreviewSecret`.' })
export class RemovePreviewSecretPayload {
  @Field(() => ID, { description: 'The id of the removed secret.' })
  deletedId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `revokePreviewSecret`.' })
export class RevokePreviewSecretPayload extends PreviewSecretPayload {
  @Field(() => Boolean, { description: 'False: there was no such grant.' })
  revoked!: boolean;
}
