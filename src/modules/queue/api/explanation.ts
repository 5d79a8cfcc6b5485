// Makes an explanation for GraphQL: the reason, its conditions, and the forecast if the query selects it.
import type { GraphQLResolveInfo } from 'graphql';
import { standstillOf, standstillTexts } from '../../../domain/health/parts.ts';
import { isKindInLine } from '../../../domain/queue/explain/explain.ts';
import type { GraphQLContext } from '../../../graphql/context.ts';
import { selectsOnly } from '../../../graphql/selection.ts';
import { explainPullRequest } from './explain.reads.ts';
import { toMergeCondition, type Explanation } from './explain.types.ts';
import { readEta } from './forecast.resolver.ts';
import type { PullRequest } from './pull-requests.types.ts';

/** The fields of an explanation that need no forecast. */
const fieldsWithoutForecast = new Set(['kind', 'who', 'at', 'reason', 'conditions']);
const briefFields = new Set(['kind', 'who', 'at', 'reason', 'sentence', 'eta']);

/** `asOf` is the instant to explain. Null: now. An explanation of the past has no forecast. */
export async function explanationOf(
  ctx: GraphQLContext,
  pullRequest: PullRequest,
  { asOf, info }: { readonly asOf: Date | null; readonly info: GraphQLResolveInfo },
): Promise<Explanation> {
  const { conditions, sentence, ...explained } = await explainPullRequest(ctx, pullRequest, {
    asOf,
    isBrief: selectsOnly(info, briefFields),
  });
  const needsNoForecast = asOf !== null || selectsOnly(info, fieldsWithoutForecast);
  const eta = needsNoForecast ? null : await readEta(ctx, pullRequest);
  const standstill =
    asOf === null && isKindInLine(explained.kind) ? standstillOf(ctx.temporal.health(), ctx.clock()) : null;
  const reason = standstill === null ? sentence : `${sentence} ${standstillTexts[standstill]}`;
  return {
    ...explained,
    who: standstill !== null && explained.who === 'queue' ? 'admin' : explained.who,
    reason,
    sentence: eta?.p50 ? `${reason} ${eta.sentence}` : reason,
    eta,
    conditions: conditions.map(toMergeCondition),
  };
}
