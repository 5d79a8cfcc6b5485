import { Field, InputType, ObjectType } from 'type-graphql';
import { DateTime, URI } from '../../graphql/scalars.ts';

const server =
  'Address of the GitHub server: https://github.com, https://<name>.ghe.com, or the server that the operator of Interlock named by --github or GITHUB_SERVER. Any other server is refused with BAD_INPUT. Null: the server that the operator named, or https://github.com if the operator named none.';

@InputType({ description: 'A link to create, by which a GitHub App of the account is created.' })
export class CreateGitHubAppLinkInput {
  @Field(() => URI, { nullable: true, description: server })
  server?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The login of the organization that is to own the App. Null: the person who opens the link owns it.',
  })
  organization?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The link, which is a secret until it is used.' })
export class CreateGitHubAppLinkPayload {
  @Field(() => URI, {
    description: 'The link. A browser that opens it creates one App at GitHub and then shows its installation.',
  })
  url!: string;

  @Field(() => DateTime, { description: 'When the link expires. It works only once.' })
  expiresAt!: Date;
}

@InputType({
  description:
    'An existing GitHub App, such as the App of an enterprise, which no link can create. Its secrets are stored encrypted.',
})
export class AddGitHubAppInput {
  @Field(() => URI, { nullable: true, description: server })
  server?: string | null;

  @Field(() => String, { description: "The App's number, as the page of its settings shows it." })
  appId!: string;

  @Field(() => String, { description: 'A private key of the App in PEM. It is checked by a call to GitHub.' })
  privateKey!: string;

  @Field(() => String, { description: "The App's client id, for the sign-in of people. At most 500 characters." })
  clientId!: string;

  @Field(() => String, { description: 'A client secret of the App. At most 500 characters.' })
  clientSecret!: string;

  @Field(() => String, {
    description: 'The secret by which GitHub signs the webhooks of the App. At most 500 characters.',
  })
  webhookSecret!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The result of `addGitHubApp`.' })
export class AddGitHubAppPayload {
  @Field(() => String, { description: "The App's name in addresses of GitHub." })
  slug!: string;

  @Field(() => URI, { description: 'The address to which the App must send its webhooks. Set it at GitHub.' })
  webhookUrl!: string;

  @Field(() => URI, { description: 'The address where an owner installs the App.' })
  installUrl!: string;
}
