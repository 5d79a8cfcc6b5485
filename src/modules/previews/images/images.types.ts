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
  description: 'The kind of a preview image.',
  valuesConfig: {
    DOCKER: { description: 'An image of a registry, which runs as a container.' },
    DIRECTORY: {
      description:
        "A folder on the worker's machine, inside of a folder that the operator allows. Each verification gets a copy of the folder.",
    },
    COMMAND: { description: 'A command, which runs in a checkout of the head.' },
  },
});

@ObjectType({
  implements: Node,
  simpleResolvers: true,
  description:
    'An image that sandboxes boot. Entries of `verify.preview` in the configuration name the image (interface 2.13).',
})
export class PreviewImage {
  @Field(() => ID, { description: 'Its id, unique within the account. Opaque.' })
  id!: string;

  @Field(() => String, {
    description: 'The name that `image` of a preview has in the configuration, unique in the account.',
  })
  name!: string;

  @Field(() => kinds, { description: 'Whether the image is an image of a registry, a folder or a command.' })
  kind!: PreviewImageKind;

  @Field(() => String, { description: 'The reference, the path or the command.' })
  source!: string;

  @Field(() => String, { description: 'Email address of the user who first registered the image.' })
  createdBy!: string;

  @Field(() => DateTime, { description: 'When the image was first registered.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the image was last registered.' })
  updatedAt!: Date;
}

export const PreviewImageConnection = connectionType(PreviewImage, 'PreviewImage');

@InputType({ description: 'A preview image to register.' })
export class RegisterPreviewImageInput {
  @Field(() => String, { description: 'The name, 1 to 200 characters without white space.' })
  name!: string;

  @Field(() => kinds, { description: 'Whether the image is an image of a registry, a folder or a command.' })
  kind!: PreviewImageKind;

  @Field(() => String, { description: "An image's reference, an absolute path, or a command." })
  source!: string;
}

@InputType({ description: 'A preview image to remove.' })
export class RemovePreviewImageInput {
  @Field(() => String, { description: 'The name of the image.' })
  name!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of mutations of preview images.' })
export class PreviewImagePayload {
  @Field(() => PreviewImage, { description: 'The image after the change, or a removed image as it was before.' })
  previewImage!: PreviewImage;
}
