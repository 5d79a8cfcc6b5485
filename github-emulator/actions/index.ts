// GitHub Actions: workflows run for real, or end as a test has scripted.
import type { FastifyInstance } from 'fastify';
import type { Core } from '../core.ts';
import type { MakePart } from '../part.ts';
import type { HostEvent } from '../webhooks/events.ts';
import { actionsRoutes, mustRerun } from './actions.rest.ts';
import { actionsApp } from './app.ts';
import { createRunner, type Runner } from './runner.ts';
import { startForEvent } from './starting.ts';

export const actionsPart: MakePart = (core) => {
  const runner = createRunner(core);
  return {
    routes: actionsRoutes(runner),
    hear: async (event) => {
      if (event.name === 'check_run' || event.name === 'check_suite') await rerunRequested(core, runner, event);
      else for (const run of await startForEvent(core, event)) await runner.begin(run);
    },
    serve: (fastify) => serveLogs(core, fastify),
    // Runs that a stopped emulator left begin again with the jobs that had not ended.
    start: async () => {
      for (const run of core.state.workflowRuns.filter(({ status }) => status !== 'completed')) await runner.begin(run);
    },
    settled: async () => await runner.settled(),
    stop: () => runner.stop(),
  };
};

/** A check run or suite of Actions that is requested again runs its jobs again. */
async function rerunRequested(core: Core, runner: Runner, event: HostEvent): Promise<void> {
  const isActions = (appId: number): boolean => appId === actionsApp(core).id;
  const { state } = core;
  if (event.name === 'check_run' && event.action === 'rerequested' && isActions(event.checkRun.appId)) {
    const job = state.workflowJobs.get(event.checkRun.id);
    const run = state.workflowRuns.get(job?.runId);
    if (job !== undefined && run !== undefined) await runner.rerun(mustRerun({ core }, run), [job.key]);
  }
  if (event.name === 'check_suite' && event.action === 'rerequested' && isActions(event.checkSuite.appId)) {
    const run = state.workflowRuns.find((each) => each.checkSuiteId === event.checkSuite.id);
    if (run !== undefined) await runner.rerun(mustRerun({ core }, run), null);
  }
}

/** The address that `GET …/logs` redirects to. Its last part stands for the signature. */
function serveLogs(core: Core, fastify: FastifyInstance): void {
  fastify.get<{ Params: { job: string; key: string } }>('/_emulator/logs/:job/:key', async (request, reply) => {
    const job = core.state.workflowJobs.get(Number(request.params.job));
    const isKnown = job !== undefined && core.state.checkRuns.must(job.id).externalId === request.params.key;
    if (!isKnown) return await reply.status(404).type('text/plain').send('Not Found');
    return await reply.type('text/plain').send(job.log);
  });
}
