import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { Day as AskedDay } from '../../domain/analytics/days.ts';
import { Day } from '../../graphql/scalars.ts';

@ObjectType({ simpleResolvers: true, description: 'How the samples of a day are distributed, by nearest rank.' })
export class DailyDistribution {
  @Field(() => Day, { description: 'The day, in the requested time zone.' })
  date!: string;

  @Field(() => Float, { description: 'The least sample.' })
  min!: number;

  @Field(() => Float, { description: 'The mean, to three decimals.' })
  avg!: number;

  @Field(() => Float, { description: 'The median: the least sample that half of the samples do not exceed.' })
  p50!: number;

  @Field(() => Float, { description: 'The least sample that three quarters of the samples do not exceed.' })
  p75!: number;

  @Field(() => Float, { description: 'The least sample that nine tenths of the samples do not exceed.' })
  p90!: number;

  @Field(() => Float, { description: 'The greatest sample.' })
  p100!: number;
}

@ObjectType({ simpleResolvers: true, description: 'Merged pull requests of a day.' })
export class DailyUsage {
  @Field(() => Day, { description: 'The day, in the requested time zone.' })
  date!: string;

  @Field(() => Int, { description: 'Pull requests that were merged, by the queue or otherwise.' })
  total!: number;

  @Field(() => Int, { description: 'Pull requests that the queue merged.' })
  mergedByBot!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'How many pull requests were blocked or dequeued on a day, by reason.',
})
export class DailyBlocks {
  @Field(() => Day, { description: 'The day, in the requested time zone.' })
  date!: string;

  @Field(() => Int, { description: 'Because of a merge conflict: code 106.' })
  mergeConflict!: number;

  @Field(() => Int, { description: 'Because a required check failed: code 107.' })
  ciFailure!: number;

  @Field(() => Int, { description: 'Because a user removed them: codes 104 and 105.' })
  manualDequeue!: number;

  @Field(() => Int, { description: 'Because CI took too long: codes 111 and 112.' })
  ciTimeout!: number;

  @Field(() => Int, { description: 'For all other reasons.' })
  other!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Builds of batches that ended on a day. A build lasts from the request to CI to the end of its batch.',
})
export class DailyBuilds {
  @Field(() => Day, { description: 'The day, in the requested time zone.' })
  date!: string;

  @Field(() => Int, { description: 'Builds that ended.' })
  builds!: number;

  @Field(() => Int, { description: 'Builds whose batch landed.' })
  landed!: number;

  @Field(() => Float, { description: 'Minutes of builds whose batch landed.' })
  minutesLanded!: number;

  @Field(() => Float, {
    description: 'Minutes of builds that failed, including batches that were bisected afterwards.',
  })
  minutesFailed!: number;

  @Field(() => Float, { description: 'Minutes of builds that were stopped, because the line changed.' })
  minutesReset!: number;
}

@ObjectType({
  simpleResolvers: true,
  description:
    'How good the estimates of landings were, for the pull requests that the queue merged on a day. For each pull request, the first estimate after its last entry into the line counts.',
})
export class DailyEtaAccuracy {
  @Field(() => Day, { description: 'The day of the merge, in the requested time zone.' })
  date!: string;

  @Field(() => Int, {
    description: 'Merged pull requests with an estimate. An estimate is made only if a client queries it.',
  })
  estimated!: number;

  @Field(() => Int, {
    description:
      'Pull requests that were merged by `p50` of their estimate. If the estimates are good, this is half of them.',
  })
  byP50!: number;

  @Field(() => Int, {
    description:
      'Pull requests that were merged by `p90` of their estimate. If the estimates are good, this is nine of ten.',
  })
  byP90!: number;
}

@ObjectType({ simpleResolvers: true, description: 'How often a check failed in builds of batches.' })
export class FailedCheck {
  @Field(() => String, { description: 'The name of the check.' })
  name!: string;

  @Field(() => Int, { description: 'Builds in which the newest attempt of the check failed.' })
  failed!: number;

  @Field(() => Int, { description: 'Builds in which the check ended.' })
  builds!: number;
}

@ObjectType({ simpleResolvers: true, description: 'An hour of the day, over all requested days.' })
export class HourOfDay {
  @Field(() => Int, { description: 'The hour from 0 to 23, in the time zone of the request.' })
  hour!: number;

  @Field(() => Int, { description: 'Pull requests merged in this hour.' })
  merged!: number;

  @Field(() => Int, { description: 'Pull requests blocked or dequeued in this hour.' })
  left!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'Seconds in the line that half of the pull requests merged in this hour did not exceed. Null: none was merged.',
  })
  p50!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'Seconds in the line that nine of ten pull requests merged in this hour did not exceed. Null: none was merged.',
  })
  p90!: number | null;
}

@ObjectType({
  simpleResolvers: true,
  description:
    'Statistics of a repository by day (interface 2.8). There are counts for every day, and distributions for days with samples.',
})
export class Analytics {
  repositoryId!: string;
  timezone!: string;
  days!: readonly AskedDay[];

  @Field(() => [DailyDistribution], {
    description: 'Seconds from the last entry into the line to the merge, on the day of the merge.',
  })
  timeInQueue!: DailyDistribution[];

  @Field(() => [DailyDistribution], {
    description:
      'Seconds from the time at which the preconditions were met to the first batch in parallel mode, on the day of that batch.',
  })
  waitTimesToQueue!: DailyDistribution[];

  @Field(() => [DailyUsage], { description: 'Merged pull requests.' })
  mergequeueUsage!: DailyUsage[];

  @Field(() => [DailyBlocks], { description: 'Blocked and dequeued pull requests, by reason.' })
  blockedReason!: DailyBlocks[];

  @Field(() => [DailyDistribution], {
    description: 'How often the base branch had been merged into each merged pull request, on the day of the merge.',
  })
  syncFrequency!: DailyDistribution[];
}
