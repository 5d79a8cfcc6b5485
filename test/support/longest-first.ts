// Runs the test files that take longest first, so that no core runs one of them alone at the end.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { projectRoot } from '../../src/platform/project-root.ts';

const longest = [
  'test/simulation/faults.speculative.test.ts',
  'test/simulation/faults.linear.test.ts',
  'test/simulation/faults.bases.test.ts',
  'test/simulation/faults.stacks.test.ts',
  'test/simulation/faults.serial.test.ts',
  'test/e2e/start.test.ts',
  'test/e2e/demo.test.ts',
  'test/dashboard/journeys.test.ts',
  'test/runbooks/host-away.test.ts',
  'test/workflows/outage.test.ts',
  'test/hosts/github/long-lists.test.ts',
  'test/queue/proof-file.test.ts',
  'test/workflows/releases.test.ts',
  'test/workflows/runbooks.test.ts',
  'test/queue/speculation.test.ts',
  'test/previews/sandbox.test.ts',
  'test/queue/depth.test.ts',
  'test/e2e/nine.full.test.ts',
  'test/releases/kill.test.ts',
  'test/previews/verification-kill.test.ts',
  'test/rest/schemathesis.test.ts',
  'test/e2e/production.test.ts',
  'test/queue/arrivals.landing.test.ts',
  'test/releases/driving.test.ts',
  'test/runbooks/kill.test.ts',
  'test/docs/walk-through.test.ts',
  'test/launcher/postgres.test.ts',
  'test/launcher/temporal.test.ts',
  'test/domain/simulation/small-world.three.test.ts',
  'test/domain/configuration/parse.fuzz.test.ts',
  'test/domain/simulation/small-world.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = longest.indexOf(relative(projectRoot, moduleId));
      return found === -1 ? longest.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
