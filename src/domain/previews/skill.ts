// The content of a skill file: scenarios of steps that are carried out in order. `skill.parse.ts` has the format.

export interface Skill {
  readonly scenarios: readonly Scenario[];
}

export interface Scenario {
  readonly name: string;
  /** The preview that the scenario tests. Null: the scenario tests every preview. */
  readonly preview: string | null;
  readonly steps: readonly SkillStep[];
}

export type SkillStep = RequestStep | BrowserStep;

interface Written {
  /** Counts from 1. */
  readonly line: number;
  /** The original text. */
  readonly text: string;
}

/**
 * In the texts of a request, `{{name}}` is a value that an earlier step of the scenario has captured, and
 * `{{secret.NAME}}` is a secret of the preview.
 */
export interface RequestStep extends Written {
  readonly kind: 'request';
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
  /** If empty, the status must be below 400. */
  readonly expectations: readonly Expectation[];
  readonly captures: readonly Capture[];
}

export type Expectation = Written &
  (
    | { readonly of: 'status'; readonly least: number; readonly most: number }
    | { readonly of: 'header'; readonly name: string; readonly test: TextTest }
    | { readonly of: 'body'; readonly test: TextTest }
    | {
        readonly of: 'json';
        readonly pointer: string;
        readonly test: TextTest | { readonly kind: 'equals'; readonly value: unknown };
      }
  );

export interface TextTest {
  readonly kind: 'is' | 'contains' | 'lacks' | 'matches';
  readonly text: string;
}

export interface Capture extends Written {
  readonly name: string;
  readonly from:
    | { readonly of: 'json'; readonly pointer: string }
    | { readonly of: 'header'; readonly name: string }
    /** The first group of the expression, or the whole match if it has no group. */
    | { readonly of: 'body'; readonly pattern: string };
}

export const clickableRoles = ['button', 'link', 'checkbox', 'radio', 'tab', 'menuitem', 'option', 'switch'] as const;
export type ClickableRole = (typeof clickableRoles)[number];

export type BrowserStep = Written & { readonly kind: 'browser' } & BrowserAct;

export type BrowserAct =
  | { readonly act: 'open'; readonly path: string }
  /** `role` null: the element is found by its text. */
  | { readonly act: 'click'; readonly role: ClickableRole | null; readonly name: string }
  | { readonly act: 'fill'; readonly label: string; readonly value: string }
  | { readonly act: 'choose'; readonly label: string; readonly option: string }
  | { readonly act: 'press'; readonly key: string }
  | { readonly act: 'expect_text'; readonly shown: string; readonly isThere: boolean }
  | { readonly act: 'expect_role'; readonly role: ClickableRole | 'heading'; readonly name: string }
  | { readonly act: 'expect_title'; readonly shown: string }
  | { readonly act: 'expect_address'; readonly path: string };

export interface SkillFault {
  readonly line: number;
  readonly reason: string;
}

export type ParsedSkill =
  | { readonly ok: true; readonly skill: Skill }
  | { readonly ok: false; readonly faults: readonly SkillFault[] };

/** The steps of an app without a skill file: its first page is requested. */
export const smokeSkill: Skill = {
  scenarios: [
    {
      name: 'It answers',
      preview: null,
      steps: [
        {
          kind: 'request',
          line: 0,
          text: 'GET /',
          method: 'GET',
          path: '/',
          headers: [],
          body: null,
          expectations: [],
          captures: [],
        },
      ],
    },
  ],
};
