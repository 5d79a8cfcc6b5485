// GitHub Actions. The steps of workflows run on this machine, or a script of a test decides the results.
import type { FastifyInstance } from 'fastify';
import type { Core } from '../core.ts';
import type { MakePart } from '../part.ts';
import type { HostEvent } from '../webhooks/events.ts';
import { actionsRoutes } from './actions.rest.ts';
import { createRunner, type Runner } from './runner.ts';
import { startForEvent } from './starting.ts';

export const actionsPart: MakePart = (core) => {
  const runner = createRunner(core);
  return {
    routes: actionsRoutes(runner),
    onEvent: async (event) => {
      if (event.name === 'check_run' || event.name === 'check_suite') await rerunRequested(core, runner, event);
      else for (const run of await startForEvent(core, event)) await runner.begin(run);
    },
    serve: (fastify) => serveLogs(core, fastify),
    // Runs that had not ended when the emulator stopped continue with the jobs that had not ended.
    start: async () => {
      for (const run of core.state.workflowRuns.filter(({ status }) => status !== 'completed')) await runner.begin(run);
    },
    settled: async () => await runner.settled(),
    stop: () => runner.stop(),
  };
};

/**
 * Starts the jobs of a check run or check suite again after the action `rerequested`. Does nothing while the workflow
 * run has not ended.
 */
async function rerunRequested(core: Core, runner: Runner, event: HostEvent): Promise<void> {
  if (!('action' in event) || event.action !== 'rerequested') return;
  const { state } = core;
  const job = event.name === 'check_run' ? state.workflowJobs.get(event.checkRun.id) : undefined;
  const suite = event.name === 'check_suite' ? event.checkSuite : undefined;
  const run = state.workflowRuns.find((each) => each.id === job?.runId || each.checkSuiteId === suite?.id);
  if (run?.status !== 'completed' || run.conclusion === 'startup_failure') return;
  await runner.rerun(run, job === undefined ? null : [job.key]);
}

/** Serves the address that `GET …/logs` redirects to. GitHub has a signature as the last part of this address. */
function serveLogs(core: Core, fastify: FastifyInstance): void {
  fastify.get<{ Params: { job: string; key: string } }>('/_emulator/logs/:job/:key', async (request, reply) => {
    const job = core.state.workflowJobs.get(Number(request.params.job));
    const isKnown = job !== undefined && core.state.checkRuns.must(job.id).externalId === request.params.key;
    if (!isKnown) return await reply.status(404).type('text/plain').send('Not Found');
    return await reply.type('text/plain').send(job.log);
  });
}
