// A test runner for Stryker that loads the tests once, and runs them for one mutant after the other in the same thread.
// The runner of Stryker for vitest starts a new thread for each mutant, which loads all modules again: this takes a
// second, and the tests that reach a mutant take milliseconds. Modules are loaded again only for a mutant in code that
// runs while they load.
import { PluginKind, declareFactoryPlugin } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  TestStatus,
  determineHitLimitReached,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { glob } from 'node:fs/promises';
import { resolve } from 'node:path';
import { startVitest } from 'vitest/node';

class KeptTests {
  constructor(options) {
    this.testFiles = options.keptTests;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const testFiles = (await Array.fromAsync(glob(this.testFiles))).map((file) => resolve(file)).toSorted();
    this.channel = new BroadcastChannel('interlock mutation');
    const isReady = this.answer();
    process.env.NODE_ENV = 'test';
    this.vitest = startVitest('test', [], { config: resolve('vitest.mutation.config.ts'), provide: { testFiles } });
    await Promise.race([isReady, this.vitest.then(() => Promise.reject(new Error('The tests did not load.')))]);
  }

  answer() {
    return new Promise((resolve, reject) => {
      const settle = ({ data: { answer, failure } }) =>
        failure === undefined ? resolve(answer) : reject(new Error(failure));
      this.channel.addEventListener('message', settle, { once: true });
    });
  }

  async ask(request) {
    const answer = this.answer();
    this.channel.postMessage(request);
    return await answer;
  }

  async dryRun() {
    const { ran, coverage } = await this.ask({ mutant: null, isStatic: false, only: null, hitLimit: undefined });
    return { status: DryRunStatus.Complete, tests: ran.map(resultOf), mutantCoverage: coverage };
  }

  async mutantRun({ activeMutant, testFilter, mutantActivation, reloadEnvironment, hitLimit }) {
    const isStatic = mutantActivation === 'static' || reloadEnvironment;
    const request = { mutant: activeMutant.id, isStatic, only: testFilter ?? null, hitLimit };
    const { ran, hitCount } = await this.ask(request);
    const tests = ran.map(resultOf);
    return toMutantRunResult(determineHitLimitReached(hitCount, hitLimit) ?? { status: DryRunStatus.Complete, tests });
  }

  async dispose() {
    this.channel.postMessage('end');
    const vitest = await this.vitest;
    await vitest.close();
    this.channel.close();
  }
}

function resultOf({ id, file, name, ms, failure }) {
  const common = { id, name, timeSpentMs: ms, fileName: file };
  return failure === null
    ? { ...common, status: TestStatus.Success }
    : { ...common, status: TestStatus.Failed, failureMessage: failure };
}

function createKeptTests(options) {
  return new KeptTests(options);
}
createKeptTests.inject = ['options'];

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'kept-tests', createKeptTests)];
