import { Field, ID, InputType, ObjectType, registerEnumType } from 'type-graphql';
import type { PreviewImageKind } from '../../../domain/previews/preview.ts';
import { connectionType } from '../../../graphql/connection.ts';
import { Node } from '../../../graphql/node.ts';
import { DateTime } from '../../../graphql/scalars.ts';

const kinds = {
  DOCKER: 'docker',
  DIRECTORY: 'directory',
  COMMAND: 'command',
} as const satisfies Record<Uppercase<PreviewImageKind>, PreviewImageKind>;
registerEnumType(kinds, {
  name: 'PreviewImageKind',
  description: 'What a preview image is.',
  valuesConfig: {
    DOCKER: { description: 'An image of a registry, run as a container.' },
    DIRECTORY: {
      description: "A folder of the worker's machine, under one its operator allows, copied for each run.",
    },
    COMMAND: { description: 'A command, run in a checkout of the head.' },
  },
});

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description: 'The image that sandboxes of that name boot (interface 2.13).',
})
export class PreviewImage {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, { description: 'What `image` of a preview says. Unique in the account.' })
  name!: string;

  @Field(() => kinds, { description: 'What it is.' })
  kind!: PreviewImageKind;

  @Field(() => String, { description: 'The reference, the path or the command.' })
  source!: string;

  @Field(() => String, { description: 'Email address of the user who registered it first.' })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When it was first registered.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last registered.' })
  updatedAt!: Date;
}

export const PreviewImageConnection = connectionType(PreviewImage, 'PreviewImage');

@InputType({ description: 'An image that sandboxes of a name boot.' })
export class RegisterPreviewImageInput {
  @Field(() => String, { description: 'The name, 1 to 200 characters without white space.' })
  name!: string;

  @Field(() => kinds, { description: 'What it is.' })
  kind!: PreviewImageKind;

  @Field(() => String, { description: "An image's reference, an absolute path, or a command." })
  source!: string;
}

@InputType({ description: 'A preview image to remove.' })
export class RemovePreviewImageInput {
  @Field(() => String, { description: 'Its name.' })
  name!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A preview image after the change.' })
export class PreviewImagePayload {
  @Field(() => PreviewImage, { description: 'The image; of a removed one as it was.' })
  previewImage!: PreviewImage;
}
