import { Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { impactText, type NotAdmitted } from '../../../domain/queue/dry-run.ts';
import { statusText } from '../../../domain/queue/model/status.ts';
import type { EffectOnBuilds } from '../../../domain/configuration/key.ts';
import { ConfigurationProblem } from '../../repositories/repositories.types.ts';
import type { QueueImpact } from '../planning/dry-run.ts';

@ObjectType({ simpleResolvers: true, description: 'Pull requests whose builds would be reset, and why.' })
export class ImpactReset {
  @Field(() => String, { description: 'Their base branch.' })
  baseBranch!: string;

  @Field(() => Int, { description: 'Code of the reset (interface 6.1).' })
  code!: number;

  @Field(() => String, { description: 'What the code means, as a sentence.' })
  text!: string;

  @Field(() => [Int], { description: 'Their numbers.' })
  pullRequests!: number[];
}

@ObjectType({ simpleResolvers: true, description: 'A build that would be started or stopped.' })
export class ImpactBuild {
  @Field(() => String, { description: 'Its base branch.' })
  baseBranch!: string;

  @Field(() => [Int], { description: 'Numbers of its pull requests, in queue order.' })
  pullRequests!: number[];
}

@ObjectType({ simpleResolvers: true, description: 'What a change would do at once. The change was not made.' })
export class Impact {
  @Field(() => [ImpactReset], { description: 'Pull requests whose builds would be reset.' })
  resets!: ImpactReset[];

  @Field(() => [ImpactBuild], {
    description:
      'Builds that would start before CI reports anything, if nothing conflicts; at most 30 per base branch.',
  })
  buildsStarted!: ImpactBuild[];

  @Field(() => [ImpactBuild], { description: 'Running builds that the change would stop.' })
  buildsStopped!: ImpactBuild[];

  @Field(() => [Int], {
    description: 'Pull requests that could not land any more, although their builds would continue.',
  })
  landingsHeld!: number[];

  @Field(() => Float, {
    description:
      'For how many minutes all builds that the change would stop have run, added up. Their results would be lost.',
  })
  buildMinutesLost!: number;

  @Field(() => String, { description: 'The impact as a sentence for people.' })
  sentence!: string;

  /** The moves of landings are forecast from these impacts. */
  impacts!: readonly QueueImpact[];
}

/** `notAdmitted` is null unless the change queues a pull request that would not be in line. */
export function toImpact(impacts: readonly QueueImpact[], notAdmitted: NotAdmitted | null = null): Impact {
  const builds = (of: 'buildsStarted' | 'buildsStopped'): ImpactBuild[] =>
    impacts.flatMap(({ baseBranch, [of]: lists }) =>
      lists.map((pullRequests) => ({ baseBranch, pullRequests: [...pullRequests] })),
    );
  const landingsHeld = impacts.flatMap((impact) => impact.landingsHeld);
  return {
    impacts,
    buildMinutesLost: impacts.reduce((sum, { buildMsLost }) => sum + buildMsLost, 0) / 60_000,
    resets: impacts.flatMap(({ baseBranch, resets }) =>
      resets.map(({ code, pullRequests }) => ({
        baseBranch,
        code,
        text: statusText(code),
        pullRequests: [...pullRequests],
      })),
    ),
    buildsStarted: builds('buildsStarted'),
    buildsStopped: builds('buildsStopped'),
    landingsHeld,
    sentence: impactText(
      {
        resets: impacts.flatMap(({ resets }) => resets),
        buildsStarted: impacts.flatMap(({ buildsStarted }) => buildsStarted),
        buildsStopped: impacts.flatMap(({ buildsStopped }) => buildsStopped),
        landingsHeld,
        leaving: impacts.flatMap(({ leaving }) => leaving),
      },
      notAdmitted,
    ),
  };
}

const marks = { GATE: 'gate', BUILD: 'build', OTHER: 'other' } as const satisfies Record<
  Uppercase<EffectOnBuilds>,
  EffectOnBuilds
>;
registerEnumType(marks, {
  name: 'ConfigurationMark',
  description: 'The effect of a change of a key on existing builds.',
  valuesConfig: {
    GATE: { description: 'Existing builds are judged again. Nothing is rebuilt.' },
    BUILD: { description: 'Existing builds were made with the old value, and are reset (307).' },
    OTHER: { description: 'Existing builds stay valid. The new value applies from now on.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A key whose value would change.' })
export class ChangedKey {
  @Field(() => String, { description: 'Its whole path, joined by dots.' })
  key!: string;

  @Field(() => marks, { description: 'The effect on existing builds.' })
  mark!: EffectOnBuilds;

  @Field(() => String, { nullable: true, description: 'The present value, as JSON. Null: there is none.' })
  before!: string | null;

  @Field(() => String, { nullable: true, description: 'The new value, as JSON. Null: there is none.' })
  after!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'What a configuration would do. It was not stored.' })
export class ConfigurationPreview {
  @Field(() => Boolean, { description: 'Whether it would be stored.' })
  accepted!: boolean;

  @Field(() => [ConfigurationProblem], { description: 'Why it would be refused. Empty if it would be stored.' })
  problems!: ConfigurationProblem[];

  @Field(() => [ChangedKey], {
    description: 'Keys whose values would change, defaults included, in the order of the keys.',
  })
  changedKeys!: ChangedKey[];

  @Field(() => Impact, {
    nullable: true,
    description: 'What the configuration would do at once. Null if it would be refused, and without queue:read.',
  })
  impact!: Impact | null;
}
