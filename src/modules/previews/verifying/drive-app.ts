// Tests an app by the steps of the preview's skill file, and writes each step to the database. The skill file is read
// from the head commit.
import type { PreviewEntry } from '../../../domain/previews/preview.ts';
import { smokeSkill, type Skill } from '../../../domain/previews/skill.ts';
import { parseSkill } from '../../../domain/previews/skill.parse.ts';
import { hostClient, toHostedRepository } from '../../../hosts/port.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import type { AppTarget, DrivenStep } from '../../../platform/driving/port.ts';
import { cutText } from '../../../platform/storable-text.ts';
import { maskSecrets } from '../../../platform/providers/mask.ts';
import type { SupervisedVerification } from './supervised-verification.ts';

export interface DrivenApp {
  readonly target: AppTarget;
  readonly preview: PreviewEntry;
  readonly secrets: Readonly<Record<string, string>>;
}

export type DriveOutcome =
  | { readonly kind: 'driven'; readonly steps: readonly DrivenStep[] }
  /** `message` says why the skill file cannot be followed. */
  | { readonly kind: 'undrivable'; readonly message: string };

const maxSkillBytes = 128 * 1024;
const driveTimeoutMs = 30 * 60_000;
const longestDetail = 2_000;

export async function driveApp(
  supervised: SupervisedVerification,
  { target, preview, secrets }: DrivenApp,
): Promise<DriveOutcome> {
  const { verifying, log } = supervised;
  const skill = await readSkill(supervised, preview);
  if (typeof skill === 'string') return { kind: 'undrivable', message: skill };
  await deleteSteps(supervised);
  const steps: DrivenStep[] = [];
  const hidden = Object.values(secrets);
  const limit = AbortSignal.timeout(driveTimeoutMs);
  const signal = AbortSignal.any([supervised.signal, limit]);
  log.write(`[interlock] ${verifying.driver.browser}\n`);
  const onStep = async (step: DrivenStep): Promise<void> => {
    const clean = {
      ...step,
      step: maskSecrets(hidden, step.step),
      detail: step.detail === null ? null : cutText(maskSecrets(hidden, step.detail), longestDetail),
    };
    steps.push(clean);
    log.write(
      `${clean.conclusion.padEnd(8)}${clean.scenario}: ${clean.step}${clean.detail === null ? '' : `\n        ${clean.detail}`}\n`,
    );
    await writeStep(supervised, clean, steps.length);
  };
  await passFailpoint('verification:driving');
  try {
    await verifying.driver.drive(
      { target, scenarios: skill.scenarios, preview: preview.name, secrets },
      { signal, onStep },
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    if (!supervised.signal.aborted)
      return {
        kind: 'undrivable',
        message: `The preview was not tested to the end within ${driveTimeoutMs / 60_000} minutes.`,
      };
  }
  return { kind: 'driven', steps };
}

/** Returns the skill, or a text that says why the skill file cannot be followed. */
async function readSkill({ ctx, rows }: SupervisedVerification, preview: PreviewEntry): Promise<Skill | string> {
  const path = preview.verifySkill;
  const file = await hostClient(ctx, toHostedRepository(rows.repository)).readFile({
    commit: rows.verification.headCommit,
    path,
    maxBytes: maxSkillBytes,
  });
  if (file === null)
    return path === `.service/verify/skills/${preview.name}.md`
      ? smokeSkill
      : `The head has no skill file ${path}, or the file has more than ${maxSkillBytes / 1024} KiB.`;
  const parsed = parseSkill(file.text);
  if (parsed.ok) return parsed.skill;
  return parsed.faults
    .map(({ line, reason }) => `${path}, line ${line}: ${reason}.`)
    .join(' ')
    .slice(0, 1_000);
}

/** Deletes the steps of an earlier attempt, because the app has booted again since. */
export async function deleteSteps({ rows, write }: SupervisedVerification): Promise<void> {
  await write(
    async ({ verification: { accountId } }, tx) =>
      void (await tx.query('delete from verification_step where account_id = $1 and verification_id = $2', [
        accountId,
        rows.verification.id,
      ])),
  );
}

export async function writeStep(
  { ctx, rows, write }: SupervisedVerification,
  step: DrivenStep,
  ordinal: number,
): Promise<void> {
  await write(
    async (_, tx) =>
      void (await tx.query(
        `insert into verification_step (account_id, verification_id, ordinal, scenario, step, conclusion, detail, duration_ms, at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          ctx.accountId,
          rows.verification.id,
          ordinal,
          step.scenario,
          step.step,
          step.conclusion,
          step.detail,
          Math.round(step.durationMs),
          ctx.clock().toISOString(),
        ],
      )),
  );
}
