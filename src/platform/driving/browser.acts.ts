// Carries out a step in a page, and describes why a step failed.
import type { Page } from 'playwright-core';
import type { BrowserStep } from '../../domain/previews/skill.ts';
import { withValues, type Values } from '../../domain/previews/values.ts';
import { redactorOf } from './redact.ts';
import type { DrivenStep } from './port.ts';

const longestQuote = 300;

export async function actIn(
  page: Page,
  step: BrowserStep,
  values: Values,
): Promise<Pick<DrivenStep, 'conclusion' | 'detail'>> {
  const fill = (text: string): string => withValues(text, values);
  try {
    await act(page, step, fill);
    return { conclusion: 'passed', detail: null };
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { conclusion: 'failed', detail: `${first} ${await shownBy(page, redactorOf(values.secrets))}` };
  }
}

async function act(page: Page, step: BrowserStep, fill: (text: string) => string): Promise<void> {
  switch (step.act) {
    case 'open': {
      const answer = await page.goto(fill(step.path));
      if (answer !== null && answer.status() >= 400) throw new Error(`The page answered ${answer.status()}.`);
      return;
    }
    case 'click':
      return step.role === null
        ? await page.getByText(fill(step.name)).first().click()
        : await page.getByRole(step.role, { name: fill(step.name) }).click();
    case 'fill': {
      const label = fill(step.label);
      return await page.getByLabel(label).or(page.getByPlaceholder(label)).first().fill(fill(step.value));
    }
    case 'choose':
      return void (await page.getByLabel(fill(step.label)).selectOption({ label: fill(step.option) }));
    case 'press':
      return await page.keyboard.press(step.key);
    case 'expect_text':
      return await page
        .getByText(fill(step.shown))
        .first()
        .waitFor({ state: step.isThere ? 'visible' : 'hidden' });
    case 'expect_role':
      return await page
        .getByRole(step.role, { name: fill(step.name) })
        .first()
        .waitFor();
    case 'expect_title':
      return void (await page.waitForFunction('(text) => document.title.includes(text)', fill(step.shown)));
    case 'expect_address': {
      const path = fill(step.path);
      return await page.waitForURL(({ pathname, search }) => pathname === path || `${pathname}${search}` === path);
    }
    default:
      step satisfies never;
  }
}

/** Describes what the page shows, so that readers of the report need no browser. */
async function shownBy(page: Page, hide: (text: string) => string): Promise<string> {
  const text = await page
    .locator('body')
    .innerText({ timeout: 1_000 })
    .catch(() => '');
  const { pathname } = new URL(page.url());
  const shownText = hide(hide(text).replace(/\s+/g, ' ').trim()).slice(0, longestQuote);
  return `The page was ${hide(pathname)}${shownText === '' ? ', and showed no text.' : `, and said: ${shownText}`}`;
}
