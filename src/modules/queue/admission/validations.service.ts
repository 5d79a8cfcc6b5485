// Stores which validations a pull request fails. They are judged when its text is read, and again before a decision if
// the configuration has changed its validations since.
import type { Context } from '../../../context.ts';
import { failedValidations, validationsDigest, type Configuration } from '../../../domain/configuration/index.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { AdmissionRow } from '../store/line.rows.ts';

/** By pull request: the failed validations, where the stored result belongs to other validations. */
export type Validated = ReadonlyMap<string, readonly string[]>;

export function validationFacts(
  configuration: Configuration,
  text: { readonly title: string; readonly body: string },
): { failedValidations: string[]; validatedBy: string } {
  const { validations } = configuration.merge_rules.preconditions;
  return { failedValidations: failedValidations(validations, text), validatedBy: validationsDigest(validations) };
}

/** Flush before the call: it reads the database past the unit of work. */
export async function judgeValidations(
  ctx: Context,
  tx: Transaction,
  { configuration, rows }: { readonly configuration: Configuration; readonly rows: readonly AdmissionRow[] },
): Promise<Validated> {
  const digest = validationsDigest(configuration.merge_rules.preconditions.validations);
  const stale = rows.filter((row) => row.validatedBy !== digest).map((row) => row.id);
  if (stale.length === 0) return new Map();
  const texts = await tx.query<{ id: string; title: string; body: string }>(
    'select id, title, body from pull_request where account_id = $1 and id = any($2)',
    [ctx.accountId, stale],
  );
  const judged = texts.map((text) => ({ id: text.id, ...validationFacts(configuration, text) }));
  await tx.query(
    `update pull_request p set validated_by = $2, failed_validations = array(select jsonb_array_elements_text(j.failed))
     from jsonb_to_recordset($3::jsonb) as j (id bigint, failed jsonb)
     where p.account_id = $1 and p.id = j.id`,
    [ctx.accountId, digest, JSON.stringify(judged.map(({ id, failedValidations: failed }) => ({ id, failed })))],
  );
  return new Map(judged.map(({ id, failedValidations: failed }) => [id, failed]));
}
