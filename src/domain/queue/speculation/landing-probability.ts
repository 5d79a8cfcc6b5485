// How likely each pull request in line is to land, in line order: its chance by itself, what bets have said of it, and
// whether what they assumed is likely to come true.
import { isFailure } from '../planning/failure.ts';
import { isTakenForGranted, type Bet, type Field } from './graph.ts';
import { isSearched } from './culprit-search.ts';

/** Two that overlap and pass apart fail together this often. */
const clash = 0.035;
/** As often two of which it is not known whether they overlap. */
const unknownClash = 0.008;
/** Of those that are red together, for each besides the first. */
const clashInRed = 0.02;
/** A red build of what is sound, and a green one whose content does not land after all. */
const flake = 0.01;
const slip = 0.005;

/** By place: more than 0, less than 1. */
export type Odds = Float64Array;

export function weighOdds(field: Field): Odds {
  const bad = suspect(field);
  const odds = new Float64Array(field.line.length);
  const besides = chanceBesides(field, bad);
  for (const place of field.line.keys()) {
    const alone = 1 - (bad[place] ?? 0.5);
    odds[place] = weigh(field, odds, { place, alone, together: alone * (besides[place] ?? 1) });
  }
  return odds;
}

/** How likely each, sound by itself, is so with all those before it that land: the deeper in a chain, the less. */
function chanceBesides(field: Field, bad: Float64Array): Float64Array {
  const { useAffectedTargets } = field.view.snapshot.rules;
  const pairs = Float64Array.from(field.line, ({ targets }, place) => {
    const clashes = useAffectedTargets && targets !== null ? clash : unknownClash;
    return 1 - clashes * (1 - (bad[place] ?? 0.5));
  });
  return field.productsBefore(pairs);
}

/**
 * How likely each is at fault by itself: what a green build holds is not, and of what a red one holds at least one is,
 * by Bayes' rule. The smallest red builds say most, and so are heard first.
 */
function suspect(field: Field): Float64Array {
  const bad = Float64Array.from(field.line, ({ chance }) => 1 - chance);
  for (const { verdict, pending } of field.bets)
    if (verdict.kind === 'green') for (const place of pending) bad[place] = slip;
  const suspects = [...field.bets, ...field.spent]
    .filter(({ verdict }) => verdict.kind === 'red' || verdict.kind === 'timed_out')
    .map(({ pending }) => pending.filter((place) => bad[place] !== slip))
    .sort((a, b) => a.length - b.length);
  for (const places of suspects) {
    const innocent = places.reduce((product, place) => product * (1 - (bad[place] ?? 0)), 1);
    const red = 1 - innocent * (1 - flake) * (1 - clashInRed) ** Math.max(0, places.length - 1);
    for (const place of places) bad[place] = clamp((bad[place] ?? 0) / red);
  }
  return bad;
}

function weigh(
  field: Field,
  odds: Odds,
  of: { readonly place: number; readonly alone: number; readonly together: number },
): number {
  const { place, alone, together } = of;
  if (field.landing.has(place)) return 1 - slip;
  if (isTakenForGranted(field, place) || field.line[place]?.skipValidation) return 0.98;
  let said = 0;
  let lands = 0;
  for (const bet of field.betsOf.get(place) ?? []) {
    if (bet.verdict.kind === 'pending' || isRedBatch(field, bet)) continue;
    const comesTrue = chanceOfBet(field, odds, bet);
    said += comesTrue;
    lands += comesTrue * (bet.verdict.kind === 'green' ? 1 - slip : alone * flake);
  }
  const unsaid = Math.max(0, 1 - said);
  return clamp((lands + unsaid * together) / Math.max(1, said) - conflictRisk(field, odds, place));
}

/** Of what is red together nothing is said of each: somebody is at fault. */
function isRedBatch(field: Field, bet: Bet): boolean {
  return isFailure(bet.verdict) && isSearched(field, bet);
}

/** That those before its members which it holds land, and the others do not. */
export function chanceOfBet(field: Field, odds: Odds, bet: Bet): number {
  let chance = 1;
  const counted = new Set(bet.members);
  for (const member of bet.members)
    for (const place of field.before(member)) {
      if (counted.has(place)) continue;
      counted.add(place);
      const lands = odds[place] ?? 0.5;
      chance *= bet.holds.has(place) ? lands : 1 - lands;
    }
  return chance;
}

/** It is known to conflict with some before it, should these land. */
function conflictRisk(field: Field, odds: Odds, place: number): number {
  const conflicts = field.view.conflicts.get(field.line[place]?.id ?? '') ?? [];
  let risk = 0;
  for (const { after } of conflicts) {
    let comesTrue = 1;
    for (const before of field.before(place))
      if (after.includes(field.line[before]?.head ?? '')) comesTrue *= odds[before] ?? 0.5;
    risk = Math.max(risk, comesTrue);
  }
  return risk;
}

function clamp(chance: number): number {
  return Math.min(1 - slip, Math.max(slip, chance));
}
