// Which files begin first: those that take longest, so that no core is left alone with one of them at the end.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { projectRoot } from '../../src/platform/project-root.ts';

const longest = [
  'test/domain/simulation/small-world.three.test.ts',
  'test/domain/configuration/parse.fuzz.test.ts',
  'test/domain/simulation/small-world.test.ts',
  'test/domain/simulation/forecast.test.ts',
  'test/queue/kill.test.ts',
  'test/releases/kill.test.ts',
  'test/runbooks/kill.test.ts',
  'test/previews/verification-kill.test.ts',
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
