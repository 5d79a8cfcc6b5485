// Stores which validations a pull request fails. Validations are judged when the text of the pull request is read. If
// the configuration has changed since, they are judged again before a decision.
import type { Context } from '../../../context.ts';
import { failedValidations, validationsDigest, type Configuration } from '../../../domain/configuration/index.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { AdmissionRow } from '../store/line.rows.ts';

/** The failed validations of the pull requests whose stored result was outdated, by id. */
export type ValidationResults = ReadonlyMap<string, readonly string[]>;

export function validationFacts(
  configuration: Configuration,
  text: { readonly title: string; readonly body: string },
): { failedValidations: string[]; validatedBy: string } {
  const { validations } = configuration.merge_rules.preconditions;
  return { failedValidations: failedValidations(validations, text), validatedBy: validationsDigest(validations) };
}

/** Judges outdated validations again. Flush the unit of work before the call, because this reads the database. */
export async function judgeValidations(
  ctx: Context,
  tx: Transaction,
  { configuration, rows }: { readonly configuration: Configuration; readonly rows: readonly AdmissionRow[] },
): Promise<ValidationResults> {
  const digest = validationsDigest(configuration.merge_rules.preconditions.validations);
  const stale = rows.filter((row) => row.validatedBy !== digest).map((row) => row.id);
  if (stale.length === 0) return new Map();
  const texts = await tx.query<{ id: string; title: string; body: string }>(
    'select id, title, body from pull_request where account_id = $1 and id = any($2)',
    [ctx.accountId, stale],
  );
  const judged = texts.map((text) => ({ id: text.id, ...validationFacts(configuration, text) }));
  await tx.send(
    `update pull_request p set validated_by = $2, failed_validations = array(select jsonb_array_elements_text(j.failed))
     from jsonb_to_recordset($3::jsonb) as j (id bigint, failed jsonb)
     where p.account_id = $1 and p.id = j.id`,
    [ctx.accountId, digest, JSON.stringify(judged.map(({ id, failedValidations: failed }) => ({ id, failed })))],
  );
  return new Map(judged.map(({ id, failedValidations: failed }) => [id, failed]));
}
