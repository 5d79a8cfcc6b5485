import { Field, InputType, ObjectType } from 'type-graphql';
import { DateTime, URI } from '../../graphql/scalars.ts';

const server =
  'Address of the GitHub server: https://github.com, https://<name>.ghe.com, or the server that the operator of Interlock named by --github or GITHUB_SERVER. Any other is BAD_INPUT. Null: the server of the operator, and https://github.com where the operator named none.';

@InputType({ description: 'A link that makes a GitHub App for the account.' })
export class CreateGitHubAppLinkInput {
  @Field(() => URI, { nullable: true, description: server })
  server?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Login of the organization that is to own the App. Null: the person who opens the link owns it.',
  })
  organization?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The link, which is a secret until it is used.' })
export class CreateGitHubAppLinkPayload {
  @Field(() => URI, { description: 'Opened in a browser, it makes one App at GitHub and leads to its installation.' })
  url!: string;

  @Field(() => DateTime, { description: 'The link works until then, and once.' })
  expiresAt!: Date;
}

@InputType({
  description:
    'A GitHub App that exists already, as an App of an enterprise, which no link makes. Its secrets are sealed.',
})
export class AddGitHubAppInput {
  @Field(() => URI, { nullable: true, description: server })
  server?: string | null;

  @Field(() => String, { description: "The App's number, as the page of its settings shows it." })
  appId!: string;

  @Field(() => String, { description: 'A private key of the App in PEM. GitHub is asked whether it is one.' })
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

@ObjectType({ simpleResolvers: true, description: 'An App that Interlock has taken.' })
export class AddGitHubAppPayload {
  @Field(() => String, { description: "The App's name in addresses of GitHub." })
  slug!: string;

  @Field(() => URI, { description: 'Where the App has to send its webhooks: set it at GitHub.' })
  webhookUrl!: string;

  @Field(() => URI, { description: 'Where an owner installs the App.' })
  installUrl!: string;
}
