export { countOf, forgetOld, forgetRows, type RetentionRule, noteDue } from './retention-rule.ts';
