// Parses a skill file. It is Markdown: each heading of the second level is a scenario, each item of its lists a step,
// and each item below a request one of its parts. Prose is for people. An item that is not understood is an error,
// because a skipped step would pass.
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Heading, List, ListItem, Nodes, RootContent } from 'mdast';
import { regexFault } from '../configuration/regex.ts';
import { readPart, type PartPhrase } from './skill.parts.ts';
import { readStep } from './skill.steps.ts';
import { phraseOf, textOf } from './skill.phrases.ts';
import type { Capture, Expectation, ParsedSkill, RequestStep, Scenario, SkillFault, SkillStep } from './skill.ts';

const maxScenarios = 50;
const maxSteps = 200;
const maxFaults = 10;

interface Draft {
  readonly name: string;
  preview: string | null;
  readonly steps: SkillStep[];
}

export function parseSkill(text: string): ParsedSkill {
  const faults: SkillFault[] = [];
  const { children } = fromMarkdown(text);
  const hasScenarios = children.some((node) => isHeading(node, 2));
  const drafts: Draft[] = hasScenarios ? [] : [{ name: titleOf(children), preview: null, steps: [] }];
  for (const node of children) {
    if (isHeading(node, 2)) drafts.push({ name: textOf(node).trim() || 'Scenario', preview: null, steps: [] });
    const draft = drafts.at(-1);
    if (draft === undefined) continue;
    if (node.type === 'paragraph') draft.preview ??= previewIn(textOf(node));
    if (node.type === 'list') readSteps(node, draft, faults);
  }
  const scenarios = drafts.filter(({ steps }) => steps.length > 0);
  if (faults.length === 0) faults.push(...limitFaults(scenarios));
  if (faults.length > 0) return { ok: false, faults: faults.slice(0, maxFaults) };
  return { ok: true, skill: { scenarios } };
}

function limitFaults(scenarios: readonly Scenario[]): SkillFault[] {
  const steps = scenarios.reduce((sum, scenario) => sum + scenario.steps.length, 0);
  if (steps === 0)
    return [
      { line: 1, reason: 'expected a scenario with a step, such as a heading `## Home` and the item "- `GET /`"' },
    ];
  if (scenarios.length > maxScenarios) return [{ line: 1, reason: `expected at most ${maxScenarios} scenarios` }];
  return steps > maxSteps ? [{ line: 1, reason: `expected at most ${maxSteps} steps` }] : [];
}

function readSteps(list: List, draft: Draft, faults: SkillFault[]): void {
  for (const item of list.children) {
    const phrase = phraseOf(item);
    const step = readStep(phrase);
    if ('reason' in step) faults.push(step);
    else if (step.kind === 'request') draft.steps.push(withParts(step, item, faults));
    else {
      draft.steps.push(step);
      for (const part of partsOf(item))
        faults.push({ line: part.line, reason: 'expected no items below this item: only a request has parts' });
    }
  }
}

function withParts(request: RequestStep, item: ListItem, faults: SkillFault[]): RequestStep {
  const headers: (readonly [string, string])[] = [];
  const expectations: Expectation[] = [];
  const captures: Capture[] = [];
  let body = fenceOf(item);
  for (const phrase of partsOf(item)) {
    const part = readPart(phrase);
    if ('reason' in part) faults.push(part);
    else if (part.kind === 'header') headers.push([part.name, part.value]);
    else if (part.kind === 'body') body = phrase.fence ?? body;
    else if (part.kind === 'expect') expectations.push(part.expectation);
    else captures.push(part.capture);
  }
  for (const fault of patternFaults(expectations, captures)) faults.push(fault);
  return { ...request, headers, body, expectations, captures };
}

function* patternFaults(expectations: readonly Expectation[], captures: readonly Capture[]): Generator<SkillFault> {
  for (const expectation of expectations) {
    if (expectation.of === 'status' || expectation.test.kind !== 'matches') continue;
    const fault = regexFault(expectation.test.text);
    if (fault !== null) yield { line: expectation.line, reason: `the expression ${fault}` };
  }
  for (const { from, line } of captures) {
    const fault = from.of === 'body' ? regexFault(from.pattern) : null;
    if (fault !== null) yield { line, reason: `the expression ${fault}` };
  }
}

function partsOf(item: ListItem): PartPhrase[] {
  return item.children
    .filter((child) => child.type === 'list')
    .flatMap((list) => list.children.map((part) => ({ ...phraseOf(part), fence: fenceOf(part) })));
}

function fenceOf(item: ListItem): string | null {
  return item.children.find((child) => child.type === 'code')?.value ?? null;
}

function isHeading(node: Nodes, depth: Heading['depth']): node is Heading {
  return node.type === 'heading' && node.depth === depth;
}

function titleOf(children: readonly RootContent[]): string {
  const heading = children.find((node) => node.type === 'heading');
  return (heading === undefined ? '' : textOf(heading).trim()) || 'Scenario';
}

/** A separate line of a paragraph: `preview: storefront`. */
function previewIn(paragraph: string): string | null {
  return /^preview:[ \t]*(\S+)[ \t]*$/im.exec(paragraph)?.[1] ?? null;
}
