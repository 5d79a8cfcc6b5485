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

  @Field(() => Float, { description: 'The median: the least sample that half of them do not exceed.' })
  p50!: number;

  @Field(() => Float, { description: 'The least sample that three quarters of them do not exceed.' })
  p75!: number;

  @Field(() => Float, { description: 'The least sample that nine tenths of them do not exceed.' })
  p90!: number;

  @Field(() => Float, { description: 'The greatest sample.' })
  p100!: number;
}

@ObjectType({ simpleResolvers: true, description: 'Merged pull requests of a day.' })
export class DailyUsage {
  @Field(() => Day, { description: 'The day, in the requested time zone.' })
  date!: string;

  @Field(() => Int, { description: 'Pull requests that were merged, by the queue or by somebody else.' })
  total!: number;

  @Field(() => Int, { description: 'Those the queue merged.' })
  mergedByBot!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Why pull requests left the line unmerged on a day, each time counted.',
})
export class DailyBlocks {
  @Field(() => Day, { description: 'The day, in the requested time zone.' })
  date!: string;

  @Field(() => Int, { description: 'They conflicted: code 106.' })
  mergeConflict!: number;

  @Field(() => Int, { description: 'A required check failed: code 107.' })
  ciFailure!: number;

  @Field(() => Int, { description: 'Somebody took them out: codes 104 and 105.' })
  manualDequeue!: number;

  @Field(() => Int, { description: 'CI took too long: codes 111 and 112.' })
  ciTimeout!: number;

  @Field(() => Int, { description: 'Every other code.' })
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

  @Field(() => Int, { description: 'Those whose batch landed.' })
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
    'How good the estimates of landings were, for the pull requests that the queue merged on a day. Of each one the first estimate counts that was given after its last entry into the line.',
})
export class DailyEtaAccuracy {
  @Field(() => Day, { description: 'The day of the merge, in the requested time zone.' })
  date!: string;

  @Field(() => Int, {
    description: 'Merged pull requests with an estimate. An estimate is made only if a client queries it.',
  })
  estimated!: number;

  @Field(() => Int, { description: 'Those that were merged by `p50` of their estimate: half of them, if it is good.' })
  byP50!: number;

  @Field(() => Int, {
    description: 'Those that were merged by `p90` of their estimate: nine of ten, if it is good.',
  })
  byP90!: number;
}

@ObjectType({ simpleResolvers: true, description: 'How often builds of batches failed by a check.' })
export class FailedCheck {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => Int, { description: 'Builds in which its newest attempt failed.' })
  failed!: number;

  @Field(() => Int, { description: 'Builds in which it ended.' })
  builds!: number;
}

@ObjectType({ simpleResolvers: true, description: 'An hour of the day, over all requested days.' })
export class HourOfDay {
  @Field(() => Int, { description: 'It begins at this hour, from 0 to 23, in the time zone of the request.' })
  hour!: number;

  @Field(() => Int, { description: 'Pull requests merged in this hour.' })
  merged!: number;

  @Field(() => Int, { description: 'Pull requests blocked or dequeued in this hour.' })
  left!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'Seconds in the line: half of the pull requests merged in this hour waited no longer. Null: none was merged.',
  })
  p50!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Seconds in the line: nine of ten waited no longer. Null as `p50`.',
  })
  p90!: number | null;
}

@ObjectType({
  simpleResolvers: true,
  description:
    'Statistics of a repository by day (interface 2.8). Counts are there for every day, distributions for days with samples.',
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
      'Seconds from preconditions holding to the first batch in parallel mode, on the day the batch was joined.',
  })
  waitTimesToQueue!: DailyDistribution[];

  @Field(() => [DailyUsage], { description: 'Merged pull requests.' })
  mergequeueUsage!: DailyUsage[];

  @Field(() => [DailyBlocks], { description: 'The pull request that was blocked or dequeued.' })
  blockedReason!: DailyBlocks[];

  @Field(() => [DailyDistribution], {
    description: 'How often each merged pull request had taken in its base branch, on the day of the merge.',
  })
  syncFrequency!: DailyDistribution[];
}
