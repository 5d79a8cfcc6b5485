// Carries out the scenarios of a skill one after the other. Each scenario starts without captured values and without
// cookies.
import type { Scenario, SkillStep } from '../../domain/previews/skill.ts';
import { ValueMissing, type Values } from '../../domain/previews/values.ts';
import type { HttpOut } from '../http-out/index.ts';
import { createAppClient, type AppClient } from './app-client.ts';
import { NoBrowser, type Browser, type Tab } from './browser.ts';
import { redactorOf } from './redact.ts';
import type { AppDriver, Drive, DrivenStep } from './port.ts';
import { driveRequest } from './request.ts';

type Outcome = Pick<DrivenStep, 'conclusion' | 'detail'>;

export function createAppDriver({ http, browser }: { readonly http: HttpOut; readonly browser: Browser }): AppDriver {
  return {
    browser: browser.sentence,
    async drive(drive, { signal, onStep }) {
      const client = createAppClient(http, drive.target);
      for (const scenario of drive.scenarios) await driveScenario({ drive, client, browser, signal, onStep }, scenario);
    },
  };
}

interface Driving {
  readonly drive: Drive;
  readonly client: AppClient;
  readonly browser: Browser;
  readonly signal: AbortSignal;
  readonly onStep: (step: DrivenStep) => Promise<void>;
}

async function driveScenario({ drive, client, browser, signal, onStep }: Driving, scenario: Scenario): Promise<void> {
  const captured = new Map<string, string>();
  const values: Values = { captured, secrets: drive.secrets };
  let tab: Tab | null = null;
  let skips: string | null =
    scenario.preview === null || scenario.preview === drive.preview
      ? null
      : `The scenario is for the preview ${scenario.preview}.`;
  const driveStep = async (step: SkillStep): Promise<Outcome> => {
    if (step.kind === 'request') return await driveRequest(step, { client, values, captured, signal });
    if (browser.open === null) return { conclusion: 'skipped', detail: browser.sentence };
    try {
      tab ??= await browser.open(client, signal);
    } catch (error) {
      if (error instanceof NoBrowser) return { conclusion: 'skipped', detail: error.message.slice(0, 1_000) };
      throw error;
    }
    return await tab.act(step, values);
  };
  try {
    for (const step of scenario.steps) {
      signal.throwIfAborted();
      const startedAt = performance.now();
      const outcome: Outcome =
        skips === null
          ? await driveStep(step).catch((error: unknown) => failedBy(error, drive))
          : { conclusion: 'skipped', detail: skips };
      // If the signal was aborted during the step, the step's outcome says nothing about the app.
      signal.throwIfAborted();
      await onStep({ scenario: scenario.name, step: step.text, ...outcome, durationMs: performance.now() - startedAt });
      if (outcome.conclusion === 'failed') skips = 'An earlier step of the scenario failed.';
    }
  } finally {
    await (tab as Tab | null)?.close();
  }
}

function failedBy(error: unknown, { secrets }: Drive): Outcome {
  if (error instanceof ValueMissing) return { conclusion: 'failed', detail: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { conclusion: 'failed', detail: redactorOf(secrets)(message).slice(0, 1_000) };
}
