// How likely each pull request in line is to land, in line order: its chance by itself, what bets have said of it, and
// whether what they assumed is likely to come true.
import { isTakenForGranted, type Bet, type Field } from './field.ts';

/** Two that overlap and pass apart fail together this often. */
const clash = 0.02;
/** A red build of what is sound, and a green one whose content does not land after all. */
const flake = 0.01;
const slip = 0.005;

/** By place: more than 0, less than 1. */
export type Odds = Float64Array;

export function weighOdds(field: Field): Odds {
  const odds = new Float64Array(field.line.length);
  const sound = new Set<number>();
  for (const bet of field.bets) if (bet.verdict.kind === 'green') for (const place of bet.pending) sound.add(place);
  for (const place of field.line.keys()) odds[place] = weigh(field, odds, { place, isSound: sound.has(place) });
  return odds;
}

function weigh(field: Field, odds: Odds, of: { readonly place: number; readonly isSound: boolean }): number {
  const { place } = of;
  if (field.landing.has(place)) return 1 - slip;
  if (isTakenForGranted(field, place) || field.line[place]?.skipValidation) return 0.98;
  const bets = field.betsOf.get(place) ?? [];
  const alone = of.isSound ? 1 - slip : chanceAlone(field, odds, { place, bets });
  let said = 0;
  let lands = 0;
  for (const bet of bets) {
    if (bet.verdict.kind === 'pending') continue;
    const comesTrue = chanceOfBet(field, odds, bet);
    said += comesTrue;
    lands += comesTrue * (bet.verdict.kind === 'green' ? 1 - slip : alone * flake);
  }
  const unsaid = Math.max(0, 1 - said);
  const together = field.before(place).length === 0 ? alone : alone * (1 - clash);
  return clamp((lands + unsaid * together) / Math.max(1, said) - conflictRisk(field, odds, place));
}

/** By Bayes' rule from its chance: each red build speaks against it as far as nothing else explains it. */
function chanceAlone(
  field: Field,
  odds: Odds,
  { place, bets }: { readonly place: number; readonly bets: readonly Bet[] },
): number {
  let bad = 1 - (field.line[place]?.chance ?? 0.5);
  for (const bet of bets) {
    if (bet.verdict.kind === 'pending' || bet.verdict.kind === 'green') continue;
    let innocent = 1 - flake;
    for (const other of bet.pending) {
      if (bet.members.includes(other)) innocent *= other === place ? 1 : (field.line[other]?.chance ?? 0.5);
      else if (other < place) innocent *= (odds[other] ?? 0.5) * (1 - clash);
    }
    bad = bad / (bad + (1 - bad) * (1 - innocent));
  }
  return clamp(1 - bad);
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
